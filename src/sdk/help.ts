// What a served plugin says of itself to a person who runs it by hand.
import type { Profile } from '../definition/backend.ts';
import { dialectNames } from '../definition/plugin-spec.ts';

export function helpOf(profile: Profile, program: string): string {
  const { name, version, description, tools, commands } = profile;
  return [
    `${name} ${version}${description === undefined ? '' : `: ${description}`}`,
    ``,
    `This is a plugin: a host starts it and speaks with it over stdin and stdout.`,
    ``,
    `Usage: ${program} [options]`,
    `  --dialect NAME      the host's: ${dialectNames.join(', ')}; also in PLUGLOT_DIALECT;`,
    `                      without it the first that the host says tells`,
    `  --config JSON       the configuration, for hosts that give none`,
    `  --manifest NAME     print the manifest.json of gassist, or the yams-plugin.json of yams`,
    `  --help              print this`,
    ...listed('Tools', tools),
    ...listed('Commands', commands),
    ``,
    `To try it: pluglot inspect -- ${program}`,
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
