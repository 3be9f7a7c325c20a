// Names of others in commands that we ask the user to type: whoever copies the line runs nothing else.

/** The word as a shell takes it, quoted where it needs to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
