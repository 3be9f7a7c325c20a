// Values and texts of others inside our messages: always text, never long.

/** As JSON, shortened for use in a sentence. */
export function shown(value: unknown, maxLength = 100): string {
  return value === undefined ? 'nothing' : shortened(jsonText(value), maxLength);
}

/** As JSON, in full; a value that cannot be written, such as one nested too deeply, is named instead. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `(${Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`} that cannot be shown)`;
  }
}

/** A string unchanged, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** Shortens a long text and states its length. */
export function shortened(text: string, maxLength = 500): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/** Whether `part` is the text as `shortened` gives it. */
export function isShortened(part: string, text: string): boolean {
  const [, begin] = /^(.+)… \(\d+ characters\)$/s.exec(part) ?? [];
  return begin !== undefined && text.trimStart().startsWith(begin);
}

// Texts of others in our sentences: some end with a full stop, and some repeat what the sentence has already.

/** The text with one punctuation mark at its end. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?…]["')\]]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/**
 * Joins sentences, each once. The last may be a command to type and gets no full stop.
 * @example sentences('it is not there', 'Install it.') // 'it is not there. Install it.'
 */
export function sentences(...texts: readonly (string | undefined)[]): string {
  let joined = '';
  for (const text of texts) {
    if (text === undefined || text.trim() === '' || joined.includes(text.trim())) continue;
    joined = joined === '' ? text.trimEnd() : `${sentence(joined)} ${text.trim()}`;
  }
  return joined;
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

// Names of others in commands that the user is asked to type: a copied line runs nothing else.

/** The word quoted for a shell, if it needs quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
