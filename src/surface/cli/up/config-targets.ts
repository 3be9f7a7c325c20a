// Which files say what a running `up` does: those that are there, and those that may come, wherever that is.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfigFile } from '../../../fleet/discovery/config-file.ts';
import { absolute } from '../../../fleet/discovery/entry-spec.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { CONFIGURATION_FILES, projectFiles } from '../../../fleet/discovery/project-files.ts';
import { canonical } from '../../../fleet/trust/containment.ts';
import { gateSettings } from '../../../runtime/gate-settings.ts';
import type { CommandContext } from '../commands/context.ts';
import type { WatchTargets } from '../dev/watch-targets.ts';

type Here = Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFile'>;

export interface ConfigTargets extends WatchTargets {
  /** What is looked for. Where this or the paths are others, it has to be looked at anew. */
  readonly wanted: readonly string[];
}

const CONFIGURATION = 'pluglot.json';
const names = [...CONFIGURATION_FILES, 'package.json'];

export async function configTargets(here: Here): Promise<ConfigTargets> {
  const { cwd, home, env, configFile } = here;
  const { config, state } = homeFolders(env, home);
  const { folders: project } = await projectFiles(cwd);
  const typed = configFile === undefined ? [] : [absolute(configFile, { folder: cwd, home })];
  const rules = env['PERMISSION_CONFIG_PATH'] ? [path.resolve(cwd, env['PERMISSION_CONFIG_PATH'])] : [];
  const configurations = [
    ...[config, ...project].map((folder) => path.join(folder, CONFIGURATION)),
    ...typed,
  ];
  const { permissions } = await gateSettings(here);
  const files = await withLinked([
    ...[config, ...project].flatMap((folder) => names.map((name) => path.join(folder, name))),
    path.join(home, '.mcp.json'),
    path.join(state, 'trust.json'),
    ...typed,
    ...rules,
    ...permissions.map(({ file }) => file),
  ]);
  const folders = await withLinked([
    ...[config, ...project].map((folder) => path.join(folder, 'plugins')),
    ...(await foldersNamed(configurations, home)),
  ]);
  const places = [...new Set([...[...files].map((file) => path.dirname(file)), ...folders])];
  const ways = places.map(wayTo);
  const onTheWay = new Set(ways.flat());
  return {
    // Of what is not there yet, the folder in which the way to it will begin.
    paths: [...new Set(ways.map(([first]) => first))],
    wanted: [...files, ...folders],
    // The folder of a plugin, and what lies in it.
    depth: 2,
    hasFolders: true,
    isIgnored: (file) =>
      !(onTheWay.has(file) || files.has(file) || [...folders].some((folder) => belongsTo(folder, file))),
  };
}

/** Folders of plugins that the configurations name. */
async function foldersNamed(configurations: readonly string[], home: string): Promise<string[]> {
  const read = await Promise.all(configurations.map(readConfigFile));
  return read.flatMap(({ config }) =>
    (config?.folders ?? []).map(({ folder }) =>
      absolute(folder, { folder: path.dirname(config?.file ?? ''), home }),
    ),
  );
}

/** With where they really are: what changes there changes nothing about a link to it. */
async function withLinked(places: readonly string[]): Promise<ReadonlySet<string>> {
  const real = await Promise.all(places.map(canonical));
  return new Set([...places, ...real.filter((place) => place !== undefined)]);
}

/** From the nearest folder that is there down to the place itself. */
function wayTo(place: string): readonly [string, ...string[]] {
  const parent = path.dirname(place);
  if (parent === place || existsSync(place)) return [place];
  const [first, ...rest] = wayTo(parent);
  return [first, ...rest, place];
}

function belongsTo(folder: string, file: string): boolean {
  if (!file.startsWith(folder + path.sep)) return false;
  const parts = file.slice(folder.length + 1).split(path.sep);
  return parts.length <= 2 && parts.every((part) => !part.startsWith('.') && part !== 'node_modules');
}
