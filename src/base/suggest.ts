// Names near to one that was mistyped, for errors that tell the way out.

/** Nobody mistypes longer names, and comparing them would cost. */
const LONGEST_NAME = 64;

/** Up to three candidates that the user may have meant, the nearest first. `wordOf`: the part of a candidate to compare. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  wordOf = (name: string) => name,
): string[] {
  if (word.length > LONGEST_NAME) return [];
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of candidates) {
    const distance = distanceTo(wordOf(name).toLowerCase(), word.toLowerCase(), allowed);
    if (distance <= allowed) near.push({ name, distance });
  }
  return near
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** ` Did you mean "a" or "b"?`, to be put behind a sentence; empty when nothing is near. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  wordOf?: (name: string) => string,
): string {
  const names = nearest(word, candidates, wordOf).map((name) => JSON.stringify(name));
  const last = names.pop();
  if (last === undefined) return '';
  return ` Did you mean ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}?`;
}

/** `; is "frm" meant to be it?`, for a name that is missing where others are given that nobody knows. */
export function meantBy(missing: string, given: Iterable<string>, known: readonly string[]): string {
  const unknown = [...given].slice(0, GIVEN_MAX).filter((name) => !known.includes(name));
  const [near] = nearest(missing, unknown);
  return near === undefined ? '' : `; is ${JSON.stringify(near)} meant to be it?`;
}

const GIVEN_MAX = 100;

/** People leave off the end of a word; that is nearer than any slip of the hand. */
const BEGINNING = 0.5;

function distanceTo(name: string, word: string, allowed: number): number {
  if (name === word) return 0;
  if (Math.min(name.length, word.length) > 2 && (name.startsWith(word) || word.startsWith(name)))
    return BEGINNING;
  return Math.abs(name.length - word.length) > allowed ? Infinity : editDistance(word, name);
}

/** How many letters to add, drop, change, or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
