// What a served plugin says of itself to a person who runs it by hand.
import { shellWord } from '../base/shell-word.ts';
import type { Profile } from '../definition/backend.ts';
import { dialectNames } from '../definition/plugin-spec.ts';

/** `file` is the program, seen from where the person is. */
export function helpOf(profile: Profile, file: string): string {
  const { name, version, description, tools, commands } = profile;
  const program = shellWord(file);
  return [
    `${name} ${version}${description === undefined ? '' : `: ${description}`}`,
    ``,
    `This is a plugin: a host starts it and speaks with it over stdin and stdout.`,
    ``,
    `Usage: node ${program} [options]`,
    `  --dialect NAME   the host's: ${dialectNames.join(', ')};`,
    `                   also in PLUGLOT_DIALECT; else its first words tell`,
    `  --config JSON    the configuration, for hosts that give none`,
    `  --manifest NAME  print manifest.json (gassist) or yams-plugin.json (yams)`,
    `  --help           print this`,
    ...listed('Tools', tools),
    ...listed('Commands', commands),
    ``,
    `To try it: pluglot inspect -- node ${program}`,
    ``,
  ].join('\n');
}

function listed(
  title: string,
  items: readonly { readonly name: string; readonly description?: string }[],
): string[] {
  if (items.length === 0) return [];
  const width = Math.max(...items.map(({ name }) => name.length));
  const lines = items.map(({ name, description = '' }) =>
    `  ${name.padEnd(width)}  ${description.split('\n')[0]}`.trimEnd(),
  );
  return ['', `${title}:`, ...lines];
}
