// From a spec to the program of a plugin and its environment; its folders are created when it starts.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import type { DialectName, PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import {
  allowedEnvironment,
  type OwnVariables,
  pluginEnvironment,
  specifiedVariables,
} from './environment.ts';
import type { ProcessFolders } from './folders.ts';
import { resolveProgram, type ResolvedProgram } from './program.ts';
import type { PinnedFile } from './launcher.ts';
import type { Python } from './interpreters.ts';
import { type ReferenceSources, replaceOwnReferences } from './references.ts';
import { kindOf, type SearchPath } from '../../base/search-path.ts';
import type { Program } from './spawn.ts';

export interface HostSide {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly node: string;
  readonly python: Python;
}

export interface PluginProgram {
  /** The folder of the plugin itself. */
  readonly folder: string;
  /** The program with its folders. */
  equip(folders: ProcessFolders): Program & { readonly cwd: string };
}

/** @throws PluglotError PROGRAM_NOT_FOUND, CONFIG_INVALID or NOT_TRUSTED */
export async function findPluginProgram(
  spec: PluginSpec,
  host: HostSide,
  pinned?: readonly PinnedFile[],
): Promise<PluginProgram> {
  const start = programOf(spec);
  const sources = sourcesOf(spec.name, start, host);
  const variables = specifiedVariables(start.env ?? {}, sources);
  const program = await resolveProgram(withReferences(start, sources), {
    plugin: spec.name,
    path: pathOf(host.env, variables),
    hostFolder: host.folder,
    node: host.node,
    python: host.python,
    pinned,
  });
  const folder = pluginFolderOf(start, program);
  return {
    folder,
    equip(folders) {
      const own = ownVariables(spec.dialect, folder, folders);
      return { ...program, env: pluginEnvironment(host.env, own, variables) };
    },
  };
}

/** Where a plugin finds its commands. */
export function searchPathOf(spec: PluginSpec, host: HostSide): SearchPath {
  const start = programOf(spec);
  const sources = sourcesOf(spec.name, start, host);
  return { path: pathOf(host.env, specifiedVariables(start.env ?? {}, sources)), cwd: sources.pluginFolder };
}

function programOf(spec: PluginSpec): ProgramSpec {
  if (spec.start.kind === 'program') return spec.start;
  throw new PluglotError(
    'CONFIG_INVALID',
    `Plugin "${spec.name}" is a server at ${spec.start.url}: it is reached, not started.`,
  );
}

function withReferences(start: ProgramSpec, sources: ReferenceSources): ProgramSpec {
  const replace = (text: string, where: string) => replaceOwnReferences(text, where, sources);
  return {
    ...start,
    command: replace(start.command, 'command'),
    args: (start.args ?? []).map((text, index) => replace(text, `args[${index}]`)),
    ...(start.cwd === undefined ? {} : { cwd: replace(start.cwd, 'cwd') }),
  };
}

/** The PATH that a plugin with these variables gets. */
export function pathOf(hostEnv: HostSide['env'], variables: Readonly<Record<string, string>> = {}): string {
  return variables['PATH'] ?? allowedEnvironment(hostEnv)['PATH'] ?? '';
}

function sourcesOf(plugin: string, { folder }: ProgramSpec, host: HostSide): ReferenceSources {
  return { plugin, env: host.env, pluginFolder: folder ?? host.folder };
}

function pluginFolderOf({ folder }: ProgramSpec, { script, cwd }: ResolvedProgram): string {
  return folder ?? (script === undefined ? cwd : path.dirname(script));
}

function ownVariables(
  dialect: DialectName | undefined,
  pluginFolder: string,
  folders: ProcessFolders,
): OwnVariables {
  const own = { temporaryFolder: folders.temporary, dataFolder: folders.data };
  // A plugin of unknown dialect may be a G-Assist plugin.
  if (dialect !== undefined && dialect !== 'gassist') return own;
  const libraries = path.join(pluginFolder, 'libs');
  return {
    ...own,
    programData: folders.data,
    ...(kindOf(libraries) === 'folder' ? { pythonLibraries: libraries } : {}),
  };
}
