// The table of escapes by program: what a `*` of a rule does not cover.
import { type EscapeRow, escapeTable } from './escape-table.ts';

export interface Escapes extends Pick<
  EscapeRow,
  'start' | 'everything' | 'readsInput' | 'bareLetters' | 'shortens'
> {
  readonly options: readonly string[];
  readonly subcommands: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly valuesOf: { readonly subcommands: ReadonlySet<string>; readonly options: ReadonlySet<string> };
  readonly flags: ReadonlySet<string>;
  /** Whether a script that is the first word does nothing of the kind. */
  readonly isPlainScript?: (script: string) => boolean;
}

/** By the name of the program, without a folder. `python3.12` is `python`. */
export function escapesOf(program: string): Escapes | undefined {
  return byProgram.get(program) ?? byProgram.get(program.replace(/[\d.]+$/, ''));
}

const byProgram = new Map<string, Escapes>(
  escapeTable.flatMap((row) => wordsOf(row.programs).map((program) => [program, escapesIn(row)] as const)),
);

function escapesIn({ options, subcommands, values, valuesOf, flags, script, ...row }: EscapeRow): Escapes {
  return {
    ...row,
    options: wordsOf(options),
    subcommands: new Set(wordsOf(subcommands)),
    values: new Set(wordsOf(values)),
    valuesOf: {
      subcommands: new Set(wordsOf(valuesOf?.subcommands)),
      options: new Set(wordsOf(valuesOf?.options)),
    },
    flags: new Set(wordsOf(flags)),
    ...(script && { isPlainScript: script === 'awk' ? isPlainAwk : isPlainSed }),
  };
}

function wordsOf(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(' ');
}

/** No commands, no files, no other scripts. */
function isPlainAwk(script: string): boolean {
  return !/system|getline|close|[|>@]/.test(script);
}

/** Printing, deleting and quitting by line, and one replacement without the flags that run or write. */
function isPlainSed(script: string): boolean {
  if (/^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$/.test(script)) return true;
  const delimiter = script[1] ?? '';
  if (!script.startsWith('s') || !/^[/|,#:]$/.test(delimiter) || /[\n\\;{}]/.test(script)) return false;
  const parts = script.split(delimiter);
  return parts.length === 4 && /^[gpiI\d]*$/.test(parts[3] ?? '');
}
