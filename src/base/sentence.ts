// Texts of others in sentences of ours: some end with a full stop, and some say what was said already.

/** The text with one mark at its end. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?…]["')\]]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/**
 * One after the other, each once. The last may be a command to type, which ends where it ends.
 * @example sentences('it is not there', 'Install it.') // 'it is not there. Install it.'
 */
export function sentences(...texts: readonly (string | undefined)[]): string {
  let said = '';
  for (const text of texts) {
    if (text === undefined || text.trim() === '' || said.includes(text.trim())) continue;
    said = said === '' ? text.trimEnd() : `${sentence(said)} ${text.trim()}`;
  }
  return said;
}
