// How a check ends that waited in vain.

/** What a check waited for did not come. The message says what was expected and what was seen instead. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}
