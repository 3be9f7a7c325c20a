// Names that a provider takes. One that it takes already stays; another gets a name with a hash of its own, so that it is the same every time.
import { createHash } from 'node:crypto';

export interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  /** What may not stand in it. */
  readonly others: RegExp;
  /** Put in front of one that begins as none may begin. */
  readonly start?: RegExp;
}

const HASH_LENGTH = 8;

/** By the name alone, so that it needs no memory; whether two meet is for the caller to see. */
export function providerName(name: string, rule: NameRule, hashLength = HASH_LENGTH): string {
  if (rule.pattern.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const readable = name.slice(0, 4 * rule.maxLength).replaceAll(rule.others, '_');
  const begun = rule.start?.test(readable) === false ? `_${readable}` : readable;
  return `${begun.slice(0, rule.maxLength - hashLength - 1)}_${hash}`;
}

/** For all names at once: each its own, and those that are fine as they are first. */
export function providerNames(names: Iterable<string>, rule: NameRule): ReadonlyMap<string, string> {
  const all = [...new Set(names)];
  const taken = new Set(all.filter((name) => rule.pattern.test(name)));
  const result = new Map<string, string>();
  for (const name of all) {
    let length = HASH_LENGTH;
    let own = providerName(name, rule, length);
    while (own !== name && taken.has(own) && length < 60) own = providerName(name, rule, (length += 4));
    taken.add(own);
    result.set(name, own);
  }
  return result;
}
