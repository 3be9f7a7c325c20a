// From a spec to the program of a plugin and all that it gets to see, but for its folders: those are made when it is started.
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
import type { Python } from './python.ts';
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
  /** Where the plugin itself is. */
  readonly folder: string;
  /** The program with its folders. */
  equip(folders: ProcessFolders): Program & { readonly cwd: string };
}

/** @throws PluglotError PROGRAM_NOT_FOUND or CONFIG_INVALID */
export async function findPluginProgram(spec: PluginSpec, host: HostSide): Promise<PluginProgram> {
  const start = programOf(spec);
  const sources = sourcesOf(spec.name, start, host);
  const variables = specifiedVariables(start.env ?? {}, sources);
  const program = await resolveProgram(withReferences(start, sources), {
    plugin: spec.name,
    path: pathOf(host.env, variables),
    hostFolder: host.folder,
    node: host.node,
    python: host.python,
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
  // Of a plugin that has to be asked what it speaks, it may well be G-Assist.
  if (dialect !== undefined && dialect !== 'gassist') return own;
  const libraries = path.join(pluginFolder, 'libs');
  return {
    ...own,
    programData: folders.data,
    ...(kindOf(libraries) === 'folder' ? { pythonLibraries: libraries } : {}),
  };
}
