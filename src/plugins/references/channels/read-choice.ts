// What a person typed at the menu: "1,3", "2-4", "all", "none".

export type Choice =
  | {
      readonly kind: 'numbers';
      /** From 1, each once, in the order typed. */ readonly numbers: readonly number[];
    }
  | { readonly kind: 'wrong'; /** A sentence. */ readonly reason: string };

const LONGEST = 2000;

export function readChoice(typed: string, count: number): Choice {
  const text = typed.trim().toLowerCase();
  if (text === '' || text === 'none' || text === 'n') return { kind: 'numbers', numbers: [] };
  if (text === 'all' || text === 'a') return { kind: 'numbers', numbers: upTo(1, count) };
  if (text.length > LONGEST) return { kind: 'wrong', reason: 'That is too much to be numbers.' };
  const numbers = new Set<number>();
  for (const word of text.split(/[\s,;]+/).filter((part) => part !== '')) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(word) ?? [];
    if (from === undefined)
      return { kind: 'wrong', reason: `${JSON.stringify(word.slice(0, 40))} is no number.` };
    const first = Number(from);
    const last = Number(to);
    if (first < 1 || last > count || first > last)
      return { kind: 'wrong', reason: `${word} is not in the list; it goes from 1 to ${count}.` };
    for (const number of upTo(first, last)) numbers.add(number);
  }
  return { kind: 'numbers', numbers: [...numbers] };
}

function upTo(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
