// Values and words of others in our own sentences: always text, never long, whatever they are.

/** As JSON, cut to a length that a sentence can bear. */
export function shown(value: unknown, maxLength = 100): string {
  return value === undefined ? 'nothing' : shortened(jsonText(value), maxLength);
}

/** As JSON, in full; values that have none, such as one that is nested too deeply to be written, are named instead. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `(${Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`} that cannot be shown)`;
  }
}

/** A text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** A text that may be long; what was left out is counted. */
export function shortened(text: string, maxLength = 500): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/** Whether `part` is what `shortened` left of the text. */
export function isShortened(part: string, text: string): boolean {
  const [, begin] = /^(.+)… \(\d+ characters\)$/s.exec(part) ?? [];
  return begin !== undefined && text.trimStart().startsWith(begin);
}
