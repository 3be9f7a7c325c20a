// Names as MCP clients and providers of models take them. What they take stays as it is; another name becomes readable letters and a hash of
// the whole. The result follows from the name alone, so it is the same in every run and whatever else is there, and no two names share one.
// It has no `__` in it, so it is never the `plugin__tool` of another plugin.
import { createHash } from 'node:crypto';

export interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  /** What may not stand in it. */
  readonly others: RegExp;
  /** How one has to begin; else `_` is put in front. @default in any way */
  readonly start?: RegExp;
}

/** What every MCP client and every provider takes. */
export const toolNameRule: NameRule = {
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  maxLength: 64,
  others: /[^A-Za-z0-9_-]/g,
};

export function safeName(name: string, rule: NameRule = toolNameRule): string {
  // A name that looks like one of ours gets a hash as well, so that it cannot be taken for another's.
  if (rule.pattern.test(name) && !isHashed(name)) return name;
  const hash = createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, HASH_LENGTH);
  const readable = name.slice(0, rule.maxLength).replaceAll(rule.others, '_');
  const begun = rule.start?.test(readable) === false ? `_${readable}` : readable;
  const beginning = begun.replaceAll(/_{2,}/g, '_').slice(0, rule.maxLength - HASH_LENGTH - 1);
  return `${beginning.endsWith('_') ? beginning.slice(0, -1) : beginning}_${hash}`;
}

/** Whether it has the form of a name that was mapped. */
export function isHashed(name: string): boolean {
  return HASHED.test(name);
}

/** 80 bits. */
const HASH_LENGTH = 20;
const HASHED = /_[0-9a-f]{20}$/;
