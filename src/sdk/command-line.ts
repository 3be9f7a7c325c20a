// What the command line and the environment of a served plugin say. Words that are not for us are the author's own.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { didYouMean } from '../base/names.ts';
import { dialectNames, type DialectName } from '../definition/plugin-spec.ts';
import { manifestNames, type ManifestName } from '../dialect/manifest-files.ts';

export type CommandLine =
  | { readonly kind: 'serve'; readonly dialect?: DialectName; readonly config?: JsonObject }
  | { readonly kind: 'help' }
  | { readonly kind: 'manifest'; readonly of: ManifestName }
  | { readonly kind: 'wrong'; readonly problem: string };

export function readCommandLine(args: readonly string[], dialectOfEnvironment?: string): CommandLine {
  if (args.includes('--help')) return { kind: 'help' };
  const words = ['--manifest', '--dialect', '--config'] as const;
  const given = new Map(words.map((word) => [word, valueOf(args, word)]));
  for (const [word, value] of given)
    if (value === null) return wrong(`${word} needs a value, as in ${usage[word]}.`);

  const manifest = given.get('--manifest');
  if (manifest) {
    const of = manifestNames.find((name) => name === manifest);
    return of === undefined ? unknown('--manifest', manifest, manifestNames) : { kind: 'manifest', of };
  }
  const named = given.get('--dialect') ?? dialectOfEnvironment;
  const dialect = dialectNames.find((name) => name === named);
  if (named && dialect === undefined)
    return unknown(given.get('--dialect') ? '--dialect' : 'PLUGLOT_DIALECT', named, dialectNames);
  const config = readConfig(given.get('--config') ?? undefined);
  if (config !== undefined && 'problem' in config) return wrong(config.problem);
  return {
    kind: 'serve',
    ...(dialect === undefined ? {} : { dialect }),
    ...(config === undefined ? {} : { config: config.value }),
  };
}

const usage = {
  '--dialect': '--dialect mcp',
  '--config': `--config '{"key":"value"}'`,
  '--manifest': '--manifest gassist',
};

/** As `--word value` or `--word=value`, the last one wins; undefined when it is not there, null when its value is not. */
function valueOf(args: readonly string[], word: string): string | undefined | null {
  const at = args.findLastIndex((arg) => arg === word || arg.startsWith(`${word}=`));
  if (at === -1) return undefined;
  const arg = args[at] ?? '';
  const value = arg === word ? args[at + 1] : arg.slice(word.length + 1);
  return value === undefined || value === '' || value.startsWith('--') ? null : value;
}

function readConfig(
  text: string | undefined,
): { readonly value: JsonObject } | { readonly problem: string } | undefined {
  if (text === undefined) return undefined;
  const expected = `--config takes a JSON object, as in ${usage['--config']}`;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { value } : { problem: `${expected}; got JSON that is not an object.` };
  } catch (thrown) {
    // The reason repeats the text, which may hold secrets, and what is printed here is logged.
    const [place] = /position \d+/.exec(String(thrown)) ?? [];
    const where = place === undefined ? '' : ` (at ${place})`;
    return { problem: `${expected}; got a text of ${text.length} characters that is not JSON${where}.` };
  }
}

function unknown(word: string, value: string, known: readonly string[]): CommandLine {
  return wrong(`${word} is ${shown(value)}; expected one of ${known.join(', ')}.${didYouMean(value, known)}`);
}

function wrong(problem: string): CommandLine {
  return { kind: 'wrong', problem };
}
