// Where in a value something stands. The words for it are put together when they are needed, which is seldom.

export interface Place {
  readonly parent: Place | undefined;
  /** The name of a property, or the index of an item. */
  readonly key: string | number;
}

const LONGEST = 200;

/** `user.tags[2]`; the whole is `they`, for the arguments and settings that are checked. */
export function describe(place: Place | undefined): string {
  if (place === undefined) return 'they';
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    steps.push(typeof at.key === 'number' ? `[${at.key}]` : `.${at.key}`);
  const path = steps.toReversed().join('').replace(/^\./, '');
  return path.length > LONGEST ? `${path.slice(0, LONGEST)}…` : path;
}
