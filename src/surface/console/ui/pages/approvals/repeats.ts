// What a question says once need not be said again: the plugin's words and the arguments are often the signature in other clothes.
import type { Question } from '../../api/types.ts';

/** Words that go without saying around it, such as `Run: `. */
const AROUND_MAX = 24;

export function isRepeated({ signature }: Question, text: string): boolean {
  const [said, known] = [plain(text), plain(signature)];
  return known !== '' && said.includes(known) && said.length - known.length <= AROUND_MAX;
}

/** One argument, and it is what the signature says. */
export function areArgumentsRepeated({ args, signature }: Question): boolean {
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' && plain(only) === plain(signature);
}

function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
