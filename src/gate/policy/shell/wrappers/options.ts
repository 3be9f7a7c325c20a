// Goes past the options of a command to what it runs. An option that is not known may take a word with it: then nothing is certain.
import type { ShellWord } from '../words.ts';

export interface OptionSpec {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with one, in the same word or in the next. */
  readonly valued?: string;
  /** Letters of options whose value, if any, is in the same word. */
  readonly attached?: string;
  /** Names of long options without a value. */
  readonly long?: readonly string[];
  /** Names of long options with a value, after `=` or in the next word. */
  readonly longValued?: readonly string[];
  /** A dash alone is an option without a value. */
  readonly isDashFlag?: true;
}

export type Skipped =
  | {
      /** Letters and names that are there, with their values. */
      readonly options: ReadonlyMap<string, string>;
      /** The first word that is no option. */
      readonly at: number;
    }
  | { readonly reason: string };

export function skipOptions(words: readonly ShellWord[], spec: OptionSpec): Skipped {
  const options = new Map<string, string>();
  let at = 1;
  while (at < words.length) {
    const text = words[at]?.text;
    if (text === undefined) {
      const { prefix = '', splits = true } = words[at] ?? {};
      // It is surely no option, but what is run.
      if (!splits && prefix !== '' && !prefix.startsWith('-')) return { options, at };
      return { reason: 'one of its words is only known to the shell' };
    }
    if (text === '--') return { options, at: at + 1 };
    if (text === '-' && spec.isDashFlag) {
      at += 1;
      continue;
    }
    if (text === '-' || !text.startsWith('-')) return { options, at };
    const next = words[at + 1]?.text;
    const taken = text.startsWith('--')
      ? longOption(text, next, spec, options)
      : shortOptions(text, next, spec, options);
    if (taken === undefined) return { reason: `the option "${text.slice(0, 40)}" is not known here` };
    at += taken;
  }
  return { options, at };
}

function longOption(text: string, next: string | undefined, spec: OptionSpec, options: Map<string, string>) {
  const equals = text.indexOf('=');
  const name = text.slice(2, equals === -1 ? undefined : equals);
  if (spec.longValued?.includes(name)) {
    const value = equals === -1 ? next : text.slice(equals + 1);
    if (value === undefined) return undefined;
    options.set(name, value);
    return equals === -1 ? 2 : 1;
  }
  if (!spec.long?.includes(name) || equals !== -1) return undefined;
  options.set(name, '');
  return 1;
}

function shortOptions(
  text: string,
  next: string | undefined,
  spec: OptionSpec,
  options: Map<string, string>,
) {
  for (let index = 1; index < text.length; index += 1) {
    const letter = text[index] ?? '';
    const rest = text.slice(index + 1);
    if (spec.valued?.includes(letter)) {
      const value = rest === '' ? next : rest;
      if (value === undefined) return undefined;
      options.set(letter, value);
      return rest === '' ? 2 : 1;
    }
    options.set(letter, rest);
    if (spec.attached?.includes(letter)) return 1;
    if (!spec.flags?.includes(letter)) return undefined;
  }
  return 1;
}
