// Where plugins are searched, and in which order. The user's come before the project's.
import path from 'node:path';
import { canonical, otherWriters } from '../trust/paths.ts';
import type { Claim } from '../trust/trust-store.ts';
import type { Candidate, Candidates, Origin } from './candidate.ts';
import { type PluginEntry, readConfigFile } from './config-file.ts';
import { absolute, specOfEntry, withAbsoluteFolders } from './entry-spec.ts';
import { type Environment, homeFolders, type ProjectFiles, projectFiles } from './config-places.ts';
import { mcpJson, missingVariables, notOnlyTheUsers } from './mcp-json.ts';
import { moduleFiles } from './module-files.ts';
import { packagePlugins } from './packages.ts';
import { pluginFolders } from './plugin-folders.ts';
import type { Problem } from './problem.ts';

export interface SourceOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  /** Replaces the project's `pluglot.json`. The user named it, so it counts like the user's own. */
  readonly configFile?: string;
  /** Further folders to search; plugins found there have to be trusted. */
  readonly folders?: readonly string[];
  /**
   * Whether installed packages are searched.
   * @default true
   */
  readonly packages?: boolean;
  /**
   * Whether configurations and folders provide plugins. Their settings for plugins found elsewhere count in any case.
   * @default true
   */
  readonly files?: boolean;
  /** @default that of this process */
  readonly platform?: NodeJS.Platform;
}

export interface Sources {
  /** In order: of two plugins with one name the first counts. */
  readonly sources: readonly Candidates[];
  /** The user's first. */
  readonly settings: readonly Settings[];
}

/** The settings of an entry without a program, for a plugin that is found elsewhere; without a name, for all. */
export interface Settings {
  readonly name?: string;
  readonly entry: PluginEntry;
  readonly origin: Origin;
  readonly claim: Claim | 'own';
}

export async function readSources(options: SourceOptions): Promise<Sources> {
  const { cwd, home, env, platform = process.platform } = options;
  const project = await projectFiles(cwd);
  const userFile = path.join(homeFolders(env, home).config, 'pluglot.json');
  const user = await configured(userFile, 'user-config', options);
  const { configFile } = options;
  const typedFile = configFile === undefined ? undefined : absolute(configFile, { folder: cwd, home });
  const otherTyped = await otherThan(userFile, typedFile);
  const typed = otherTyped === undefined ? [] : [await typedConfig(otherTyped, options)];
  const nearest = typedFile === undefined ? await project.nearest('pluglot.json') : undefined;
  const projectFile = await otherThan(userFile, nearest);
  const here = projectFile === undefined ? [] : [await configured(projectFile, 'project-config', options)];

  const given = (options.folders ?? []).map((folder) => ({
    folder: absolute(folder, { folder: cwd, home }),
    named: { file: path.resolve(cwd) },
  }));
  const ownModules = path.join(homeFolders(env, home).config, 'plugins');
  const seen = new Set<string>();
  const inFolders = async (folders: Configured['folders']): Promise<Candidates[]> => {
    const found: Candidates[] = [];
    for (const { folder, named } of folders) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      const { modules = [], ...rest } = await pluginFolders(folder, platform, named);
      found.push(folder === ownModules ? rest : { ...rest, modules });
    }
    return found;
  };

  const owns = [user, ...typed];
  const packages = await packagesOf(options, project);
  const settings = [...owns, ...here].flatMap((one) => one.settings);
  if (options.files === false) {
    const troubles = [...owns, ...here].map(({ problems }) => ({ candidates: [], problems }));
    return { sources: [...troubles, ...packages], settings };
  }
  const projectModules = await otherThan(ownModules, await project.nearest('plugins'));
  const ownMcp = path.join(home, '.mcp.json');
  const projectMcp = await otherThan(ownMcp, await project.nearest('.mcp.json'));
  return {
    sources: [
      ...owns,
      await moduleFiles(ownModules, 'user'),
      ...(await inFolders([...given, ...owns.flatMap(({ folders }) => folders)])),
      await mcpJson(ownMcp, { home, env, own: true }),
      ...here,
      ...(await inFolders(here.flatMap(({ folders }) => folders))),
      // A folder that a configuration names was searched already.
      ...(projectModules === undefined || seen.has(projectModules)
        ? []
        : [await moduleFiles(projectModules, 'project')]),
      ...(projectMcp === undefined ? [] : [await mcpJson(projectMcp, { home, env, own: false })]),
      ...packages,
    ],
    settings,
  };
}

async function packagesOf({ packages }: SourceOptions, project: ProjectFiles): Promise<Candidates[]> {
  const file = packages === false ? undefined : await project.nearest('package.json');
  return file === undefined ? [] : [await packagePlugins(file, project.top)];
}

/** If the project is the home folder, the user's file is not read twice. */
async function otherThan(own: string, file: string | undefined): Promise<string | undefined> {
  const [real, realOwn] = await Promise.all([
    file === undefined ? undefined : canonical(file),
    canonical(own),
  ]);
  return real !== undefined && real === realOwn ? undefined : file;
}

interface Configured extends Candidates {
  readonly isThere: boolean;
  readonly folders: readonly {
    readonly folder: string;
    readonly named: { readonly file: string; readonly line?: number };
  }[];
  readonly settings: readonly Settings[];
}

async function typedConfig(file: string, options: SourceOptions): Promise<Configured> {
  const made = await configured(file, 'user-config', options);
  if (made.isThere) return made;
  return {
    ...made,
    problems: [{ file, severity: 'error', reason: 'the file does not exist', wayOut: 'Correct the path.' }],
  };
}

async function configured(
  file: string,
  kind: 'user-config' | 'project-config',
  { home, env }: SourceOptions,
): Promise<Configured> {
  const { config, problems: complaints } = await readConfigFile(file);
  if (!config)
    return {
      isThere: complaints.length > 0,
      candidates: [],
      problems: complaints,
      folders: [],
      settings: [],
    };
  const folder = path.dirname(file);
  const candidates: Candidate[] = [];
  const settings: Settings[] = [];
  const problems: Problem[] = [...complaints];
  let claim: Claim | 'own' = { root: folder, subjects: [], evidence: [{ file, sha256: config.sha256 }] };
  if (kind === 'user-config') {
    const open = otherWriters(file, 'configuration');
    if (open === undefined) claim = 'own';
    else problems.push(notOnlyTheUsers(file, open));
  }
  for (const { name, line, entry: written } of config.plugins) {
    const origin: Origin = { kind, file, line };
    const entry = withAbsoluteFolders(written, { folder, home });
    const made = specOfEntry(name, entry, {
      folder,
      home,
      env,
      ...(kind === 'project-config' && { cwd: folder }),
    });
    switch (made.kind) {
      case 'spec':
        candidates.push({ spec: made.spec, origin, claim, ...(entry.disabled && { disabled: true }) });
        break;
      case 'settings':
        settings.push({ name, entry, origin, claim });
        break;
      case 'missing': {
        const [reason, wayOut] = missingVariables(made.variables);
        problems.push({
          file,
          line,
          severity: 'error',
          reason: `plugins.${name}: ${reason}`,
          wayOut,
          plugin: name,
        });
      }
    }
  }
  if (Object.keys(config.limits).length > 0) {
    settings.push({ entry: { limits: config.limits }, origin: { kind, file }, claim });
  }
  const folders = config.folders.map((one) => ({
    folder: absolute(one.folder, { folder, home }),
    named: { file, line: one.line },
  }));
  return { isThere: true, candidates, problems, folders, settings };
}
