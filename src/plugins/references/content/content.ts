// What a source says, as far as it can be got and as much of it as may be shown.
import type { Source } from '../source.ts';

export type Content =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** What was left out, as a sentence. */ readonly cut?: string;
    }
  /** `reason` is to end a sentence with. */
  | { readonly kind: 'none'; readonly reason: string };

/** Never rejects. */
export type GetContent = (source: Source, options: GetOptions) => Promise<Content>;

export interface GetOptions {
  readonly signal: AbortSignal;
  /** Whether somebody may be asked for permission meanwhile. */
  readonly mayAsk: boolean;
}

export function none(reason: string): Content {
  return { kind: 'none', reason };
}

export function bounded(text: string, maxChars: number, cut?: string): Content {
  if (text.length <= maxChars) return { kind: 'text', text, ...(cut === undefined ? {} : { cut }) };
  return {
    kind: 'text',
    // Half of a pair of surrogates is no character.
    text: text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, ''),
    cut: `These are the first ${maxChars} of ${text.length} characters.${cut === undefined ? '' : ` ${cut}`}`,
  };
}
