// The files that configure a running host: those that exist, and those that may be created.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfigFile } from '../fleet/discovery/config-file.ts';
import { absolute } from '../fleet/discovery/entry-spec.ts';
import { CONFIGURATION_FILES, homeFolders, projectFiles } from '../fleet/discovery/config-places.ts';
import { canonical } from '../fleet/trust/paths.ts';
import { gateSettings } from './gate-settings.ts';
import type { GateFilesOptions } from './read-entries.ts';
import type { WatchTargets } from './watch-files.ts';

export interface ConfigurationFiles extends WatchTargets {
  /** The files and folders themselves. Where these or the paths change, they have to be watched anew. */
  readonly wanted: readonly string[];
}

const CONFIGURATION = 'pluglot.json';
const names = [...CONFIGURATION_FILES, 'package.json'];

export async function configurationFiles(here: GateFilesOptions): Promise<ConfigurationFiles> {
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
    // Of what does not exist yet, the nearest folder that does.
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

/** With the targets of links: a change there does not change the link. */
async function withLinked(places: readonly string[]): Promise<ReadonlySet<string>> {
  const real = await Promise.all(places.map(canonical));
  return new Set([...places, ...real.filter((place) => place !== undefined)]);
}

/** From the nearest folder that exists down to the place itself. */
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
