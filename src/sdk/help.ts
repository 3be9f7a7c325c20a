// The help text of a served plugin, for a person who runs it by hand.
import { shellWord } from '../base/text.ts';
import type { Manifest } from '../definition/manifest.ts';
import { dialectNames } from '../definition/plugin-spec.ts';

/** `file` is the program, seen from where the person is. */
export function helpOf(manifest: Manifest, file: string): string {
  const { name, version, description, tools, commands = [] } = manifest;
  const program = shellWord(file);
  return [
    `${name} ${version}${description === undefined ? '' : `: ${description}`}`,
    ``,
    `This is a plugin: a host starts it and talks to it over stdin and stdout.`,
    ``,
    `Usage: node ${program} [options]`,
    `  --dialect NAME   the host's: ${dialectNames.join(', ')};`,
    `                   also in PLUGLOT_DIALECT; default: detected automatically`,
    `  --config JSON    the configuration, for hosts that send none`,
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
