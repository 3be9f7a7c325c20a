// What pluglot reads and keeps here, by its configuration: no confined program changes the one or sees the other.
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { MiB } from '../base/units.ts';
import { readConfigFile } from '../fleet/discovery/config-file.ts';
import { absolute } from '../fleet/discovery/entry-spec.ts';
import {
  CONFIGURATION_FILES,
  type Environment,
  homeFolders,
  projectFiles,
} from '../fleet/discovery/config-places.ts';
import { readJson } from '../fleet/discovery/json-reader.ts';
import { otherWriters, pathOutside } from '../fleet/trust/paths.ts';
import { readTextFile } from '../fleet/trust/files.ts';
import { userTrustStore } from '../fleet/discovery/discover.ts';
import type { TrustStore } from '../fleet/trust/trust-store.ts';
import type { Permissions } from '../gate/policy/file/permissions-file.ts';
import { findSandbox } from '../gate/sandbox/find-sandbox.ts';
import { isTooWide, realPath } from '../gate/sandbox/places.ts';
import type { OwnPlaces, Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import { gateSettings, type GateSettings } from './gate-settings.ts';
import { permissionsOf } from './permissions.ts';
import type { GateFilesOptions } from './read-entries.ts';

export interface OwnPlacesReader {
  /** What is known by now. What was named once stays in it: until the next start of this host it may be in use. */
  known(): OwnPlaces;
  /** Folders that confined programs can write to; that of the project first. */
  writable(): readonly string[];
  /** Reads the configuration again. Called before every start of a confined program. */
  read(): Promise<void>;
  /** Adds what is in use. */
  add(settings: GateSettings, permissions: Permissions): void;
}

export function ownPlaces(files: GateFilesOptions & { readonly trust: TrustStore }): OwnPlacesReader {
  const { cwd, home, env, configFile } = files;
  const { config, state, data } = homeFolders(env, home);
  const here = { folder: cwd, home };
  const rules = env['PERMISSION_CONFIG_PATH'];
  const typed = configFile === undefined ? undefined : absolute(configFile, here);
  const userFile = path.join(config, 'pluglot.json');
  const kept = new Set([
    userFile,
    ...['permissions.json', 'references.json'].map((name) => path.join(config, name)),
    path.join(home, '.mcp.json'),
    ...(rules ? [path.resolve(cwd, rules)] : []),
    ...(typed === undefined ? [] : [typed]),
  ]);
  const hidden = new Set([config, state, data]);
  const hiddenFiles = new Set<string>();
  const writable = new Set([cwd]);

  const addWritable = (folders: Readonly<Record<string, string>> | undefined, folder: string) => {
    for (const [name, access] of Object.entries(folders ?? {}))
      if (access === 'writable') writable.add(absolute(name, { folder, home }));
  };
  /** The folder may be above one that a program can write to; then the two folders in it still count. */
  const addAnswers = (folder: string) => {
    for (const name of ['', 'requests', 'responses']) hidden.add(path.join(folder, name));
  };
  const add: OwnPlacesReader['add'] = ({ permissions, approver, audit }, { sources }) => {
    for (const { file } of permissions) kept.add(file);
    if (approver?.folder !== undefined) addAnswers(approver.folder);
    hidden.add(audit.folder).add(audit.index);
    if (audit.sendHead?.file !== undefined) hiddenFiles.add(audit.sendHead.file);
    for (const { content, folder, trusted } of sources) {
      if (!trusted) continue;
      const base = content?.channel?.base_path;
      if (base !== undefined) addAnswers(path.resolve(folder, base));
      for (const rule of content?.allow ?? []) if (typeof rule === 'object') addWritable(rule.folders, cwd);
    }
  };
  const addReferences = async (settings: JsonObject) => {
    const file = textIn(settings, 'config_path') ?? env['REFERENCES_CONFIG_PATH'];
    if (file) kept.add(path.resolve(cwd, file));
    const channels = file ? [await channelIn(path.resolve(cwd, file))] : await usualChannels();
    for (const channel of [...channels, settings['actor_config'], settings['channel_config']]) {
      const base = isJsonObject(channel) ? textIn(channel, 'base_path') : undefined;
      if (base) addAnswers(path.resolve(cwd, base));
    }
  };
  const usualChannels = () =>
    Promise.all([
      ...['references.json', '.references.json'].map((name) => channelIn(path.join(cwd, name), files.trust)),
      channelIn(path.join(config, 'references.json')),
    ]);
  return {
    known: () => ({ kept: [...kept], hidden: [...hidden], hiddenFiles: [...hiddenFiles] }),
    writable: () => [...writable],
    add,
    async read() {
      const project = await projectFiles(cwd);
      for (const folder of project.folders)
        for (const name of CONFIGURATION_FILES) kept.add(path.join(folder, name));
      const settings = await gateSettings(files);
      add(settings, await permissionsOf(settings, files));
      await addReferences({});
      for (const file of [userFile, typed ?? (await project.nearest('pluglot.json'))]) {
        if (file === undefined) continue;
        for (const { name, entry } of (await readConfigFile(file)).config?.plugins ?? []) {
          if (typeof entry.sandbox === 'object') addWritable(entry.sandbox.folders, path.dirname(file));
          if (name === 'references') await addReferences(entry.config ?? {});
        }
      }
    },
  };
}

/** Looks for the sandbox, and for the programs that it needs, where no confined program can have written them. */
export async function findSandboxFor(
  places: OwnPlacesReader,
  env: Environment,
  home: string,
): Promise<Sandbox | SandboxMissing> {
  await places.read();
  const writable = () => places.writable();
  const searchPath = pathOutside(env['PATH'] ?? '', writable());
  return findSandbox({ env: { ...env, PATH: searchPath }, home, writable, own: () => places.known() });
}

/** Folders that the host takes no program of its own from: confined programs can write there. None is given one that holds too much. */
export async function writableBy(places: OwnPlacesReader, home: string): Promise<readonly string[]> {
  await places.read();
  return places.writable().filter((folder) => !isTooWide(realPath(folder), realPath(home)));
}

/** The same without a fleet. */
export async function writableHere(files: GateFilesOptions): Promise<readonly string[]> {
  const { cwd, home, env, configFile, trust = userTrustStore({ env, home }) } = files;
  return writableBy(ownPlaces({ cwd, home, env, configFile, trust }), home);
}

/** The channel in a file with references; a file of the project has to be trusted, any other closed to other users. */
async function channelIn(file: string, trust?: TrustStore): Promise<Json | undefined> {
  const read = await readTextFile(file, MiB);
  if (read.kind !== 'read') return undefined;
  if (trust !== undefined) {
    const check = await trust.checker();
    const evidence = [{ file, sha256: read.sha256 }];
    if (!(await check({ root: path.dirname(file), subjects: [], evidence })).trusted) return undefined;
  } else if (otherWriters(file, 'configuration') !== undefined) return undefined;
  const json = readJson(read.text, { syntax: 'jsonc' });
  if (!json.ok || !isJsonObject(json.root.value)) return undefined;
  return json.root.value['channel'] ?? json.root.value['actor'];
}

function textIn(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}
