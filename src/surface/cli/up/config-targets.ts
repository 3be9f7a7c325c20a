// Which files say what a running `up` does: those that are there, and those that may come.
import path from 'node:path';
import { readConfigFile } from '../../../fleet/discovery/config-file.ts';
import { absolute } from '../../../fleet/discovery/entry-spec.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { projectFiles } from '../../../fleet/discovery/project-files.ts';
import type { CommandContext } from '../commands/context.ts';
import type { WatchTargets } from '../dev/watch-targets.ts';

type Here = Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFile'>;

const names = ['pluglot.json', '.mcp.json', 'permissions.json', '.permissions.json', 'package.json'];

export async function configTargets(here: Here): Promise<WatchTargets> {
  const { cwd, home, env, configFile } = here;
  const { config, state } = homeFolders(env, home);
  const project = await foldersOfProject(cwd);
  const typed = [configFile, env['PERMISSION_CONFIG_PATH'] || undefined].flatMap((file) =>
    file === undefined ? [] : [path.resolve(cwd, file)],
  );
  const files = new Set([
    ...[config, ...project].flatMap((folder) => names.map((name) => path.join(folder, name))),
    path.join(home, '.mcp.json'),
    path.join(state, 'trust.json'),
    ...typed,
  ]);
  const plugins = [config, ...project].map((folder) => path.join(folder, 'plugins'));
  const folders = new Set([...plugins, ...(await foldersNamed(files, home))]);
  const paths = [...new Set([...[...files].map((file) => path.dirname(file)), ...folders])];
  const watched = new Set(paths);
  return {
    paths,
    // The folder of a plugin, and what lies in it.
    depth: 2,
    isIgnored: (file) =>
      !(watched.has(file) || files.has(file) || [...folders].some((folder) => belongsTo(folder, file))),
  };
}

/** From where the user stands up to the root of the repository. */
async function foldersOfProject(cwd: string): Promise<string[]> {
  const { top } = await projectFiles(cwd);
  const folders = [path.resolve(cwd)];
  for (let folder = path.resolve(cwd); folder !== top; folder = path.dirname(folder))
    folders.push(path.dirname(folder));
  return folders;
}

/** Folders of plugins that the configurations name. */
async function foldersNamed(files: ReadonlySet<string>, home: string): Promise<string[]> {
  const configurations = [...files].filter((file) => /pluglot[^/]*\.json$/.test(file));
  const read = await Promise.all(configurations.map(readConfigFile));
  return read.flatMap(({ config }) =>
    (config?.folders ?? []).map(({ folder }) =>
      absolute(folder, { folder: path.dirname(config?.file ?? ''), home }),
    ),
  );
}

function belongsTo(folder: string, file: string): boolean {
  if (!file.startsWith(folder + path.sep)) return false;
  const parts = file.slice(folder.length + 1).split(path.sep);
  return parts.length <= 2 && parts.every((part) => !part.startsWith('.') && part !== 'node_modules');
}
