// Values that a rule allows. What goes up by `..` leads out of what a rule with a `*` means, unless it is written in the rule itself.
import { literalStart, matchesGlob } from './glob.ts';

export function coversText(pattern: string, text: string): boolean {
  if (!matchesGlob(pattern, text)) return false;
  if (!/(?:\.|%2e){2}/i.test(text)) return true;
  const literal = literalStart(pattern);
  if (literal.isAll) return true;
  for (const { index, 0: step } of text.matchAll(parent))
    if (index + step.length > literal.text.length) return false;
  return true;
}

/** As a step of a path, also in a list of them or in an address. */
const parent = /(?:(?<![\p{L}\p{N}\p{M}_.-])|(?<=%(?:2f|5c)))(?:\.|%2e){2}(?![\p{L}\p{N}\p{M}_.-])/giu;
