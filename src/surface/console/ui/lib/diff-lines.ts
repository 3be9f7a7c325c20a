// A unified diff as lines with a meaning each, for colours and for readers who see none.

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'place' | 'file';
  readonly text: string;
}

/** More lines than anybody reads in a question. */
const LINES_MAX = 2000;

export function diffLines(diff: string): { lines: DiffLine[]; omitted: number } {
  const all = diff.replaceAll('\r\n', '\n').split('\n');
  if (all.at(-1) === '') all.pop();
  // Inside of a hunk a removed line may begin with two dashes of its own.
  let isInHunk = false;
  const lines = all.slice(0, LINES_MAX).map((text): DiffLine => {
    if (text.startsWith('@@')) {
      isInHunk = true;
      return { kind: 'place', text };
    }
    if (/^(diff |index |rename |similarity |new file|deleted file)/.test(text)) isInHunk = false;
    if (!isInHunk && /^(diff |index |--- |\+\+\+ |rename |similarity |new file|deleted file)/.test(text))
      return { kind: 'file', text };
    if (text.startsWith('+')) return { kind: 'added', text };
    if (text.startsWith('-')) return { kind: 'removed', text };
    return { kind: 'same', text };
  });
  return { lines, omitted: all.length - lines.length };
}
