// Plugins with a manifest file: the manifest beside a program, and folders with the manifest of a G-Assist or YAMS plugin.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import { canonical } from '../trust/paths.ts';
import { type Candidates, pluginName } from './candidate.ts';
import { commandWords, type EntryProgram, entryProgram } from './entry-program.ts';
import { readManifest } from './json-file.ts';
import type { Problem } from './problem.ts';
import { locate } from './start-files.ts';

/**
 * Adds the manifest beside the program to the spec: only there a G-Assist plugin declares the parameters of its functions. A program with
 * manifests of several dialects speaks them all; then the dialect is detected instead.
 */
export async function withManifestBeside(
  spec: PluginSpec,
  platform: NodeJS.Platform = process.platform,
): Promise<PluginSpec> {
  if (spec.start.kind === 'http' || spec.manifest !== undefined) return spec;
  const { command, args = [], cwd } = spec.start;
  // Without a folder of its own, the files of its command depend on the current folder, which may be a project of others.
  const places = [
    ...(command.includes('/') ? [command] : []),
    ...wordsOfIts(args).filter((word) => !word.startsWith('-')),
  ].flatMap((word) => (cwd !== undefined || path.isAbsolute(word) ? [path.resolve(cwd ?? '/', word)] : []));
  for (const place of places) {
    const beside = await manifestOf(place, platform, spec.dialect);
    if (beside?.manifest === undefined) continue;
    const { dialect, manifest } = beside;
    const folder = spec.start.folder ?? path.dirname(place);
    return { ...spec, start: { ...spec.start, folder }, ...(dialect && { dialect }), manifest };
  }
  return spec;
}

/** Words after `--` are another program's, as in `pluglot serve --as mcp -- node plugin.mjs`. */
function wordsOfIts(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  return at === -1 ? args : args.slice(0, at);
}

async function manifestOf(
  file: string,
  platform: NodeJS.Platform,
  dialect: DialectName | undefined,
): Promise<PluginSpec | undefined> {
  const program = await canonical(file);
  if (program === undefined) return undefined;
  const found: PluginSpec[] = [];
  for (const read of [gassistFolder, yamsFolder]) {
    const [candidate] = (await read(path.dirname(file), platform))?.candidates ?? [];
    if (candidate === undefined || candidate.claim === 'own') continue;
    // The first is the manifest, the others are the files that it starts.
    const [, ...started] = candidate.claim.evidence;
    const places = await Promise.all(started.map((one) => canonical(one.file)));
    if (places.includes(program)) found.push(candidate.spec);
  }
  const fitting = found.filter((spec) => (dialect ?? spec.dialect) === spec.dialect);
  return fitting.length === 1 ? fitting[0] : undefined;
}

// A folder with a manifest: the part that the dialects share.

interface ManifestFolder {
  readonly manifest: JsonObject;
  /** Reports that it is not a plugin, because of the values at these keys. */
  readonly broken: (keys: readonly string[], reason: string, wayOut: string) => Candidates;
  /** Returns the plugin that this program starts. */
  readonly found: (
    dialect: DialectName,
    program: EntryProgram & { readonly ok: true },
    env?: Readonly<Record<string, string>>,
  ) => Candidates;
}

/** Undefined when the folder has no such file. */
async function manifestFolder(
  folder: string,
  fileName: string,
  look: (found: ManifestFolder) => Candidates | Promise<Candidates>,
): Promise<Candidates | undefined> {
  const file = path.join(folder, fileName);
  const reading = await readManifest(file);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'broken') return { candidates: [], problems: [reading.problem] };
  const { object: manifest, sha256, lineOf } = reading;
  const given = typeof manifest['name'] === 'string' ? pluginName(manifest['name']) : undefined;
  const name = given ?? pluginName(path.basename(folder));
  const broken: ManifestFolder['broken'] = (keys, reason, wayOut) => {
    const problem: Problem = { file, line: lineOf(...keys), severity: 'error', reason, wayOut };
    return { candidates: [], problems: [name === undefined ? problem : { ...problem, plugin: name }] };
  };
  if (name === undefined)
    return broken(['name'], 'neither the manifest nor the folder has a usable name', 'Give it a "name".');
  return look({
    manifest,
    broken,
    found: (dialect, { command, args, evidence }, env = {}) => ({
      candidates: [
        {
          spec: {
            name,
            dialect,
            start: {
              kind: 'program',
              command,
              ...(args.length > 0 && { args }),
              cwd: folder,
              folder,
              ...(Object.keys(env).length > 0 && { env }),
            },
            manifest,
          },
          origin: { kind: 'folder', file },
          claim: {
            root: folder,
            subjects: [folder],
            evidence: [
              { file, sha256, launch: launchDigest(folder, { name, dialect, command, args, env }) },
              ...evidence,
            ],
          },
        },
      ],
      problems: [],
    }),
  });
}

/** A hash of all that determines what is run, and under which name. Real plugins rewrite the rest when the tools of their server change. */
function launchDigest(folder: string, launch: JsonObject): string {
  const text = JSON.stringify(launch, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(folder, '${plugin_dir}') : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

// A folder with the manifest.json of a G-Assist plugin.

/** Undefined when the folder has no manifest.json. */
export function gassistFolder(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  return manifestFolder(folder, 'manifest.json', async ({ manifest, broken, found }) => {
    const { executable, protocol_version: version, functions } = manifest;
    if (typeof executable !== 'string') {
      // Browser extensions and web pages have a manifest.json too.
      const reason =
        executable === undefined
          ? 'not a manifest of G-Assist: "executable" is missing'
          : '"executable" is not text';
      return broken(['executable'], reason, 'Name the program to start, such as "executable": "plugin.py".');
    }
    if (version === undefined) {
      return broken(
        [],
        'a plugin of G-Assist V1: its manifest has no "protocol_version"',
        'Move it to V2: answer JSON-RPC in frames with a length instead of text with <<END>> (the V2 SDK does), then add "protocol_version": "2.0".',
      );
    }
    if (typeof version !== 'string' || !/^2(\.|$)/.test(version)) {
      return broken(
        ['protocol_version'],
        `it speaks version ${shown(version, 40)} of the protocol; expected "2.0"`,
        'Use a V2 version of the plugin.',
      );
    }
    if (functions !== undefined && !(Array.isArray(functions) && functions.every(isJsonObject))) {
      return broken(
        ['functions'],
        '"functions" is not a list of objects',
        'Write [{ "name": "…", "description": "…" }].',
      );
    }
    const program = await gassistProgram(folder, executable, platform);
    return program.ok ? found('gassist', program) : broken(['executable'], program.reason, program.wayOut);
  });
}

/** A file whose name has spaces, or a command line. */
async function gassistProgram(
  folder: string,
  executable: string,
  platform: NodeJS.Platform,
): Promise<EntryProgram> {
  const whole = await locate(folder, executable);
  if (whole.kind === 'file') return entryProgram(folder, [executable], platform);
  const words = commandWords(executable.replaceAll('\\', '/'));
  if (words === undefined) {
    return {
      ok: false,
      reason: '"executable" needs a shell',
      wayOut: 'Put the command into a script of the folder, and name that.',
    };
  }
  return entryProgram(folder, words, platform);
}

// A folder with the yams-plugin.json of a YAMS plugin.

/** Undefined when the folder has no yams-plugin.json. */
export function yamsFolder(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  return manifestFolder(folder, 'yams-plugin.json', async ({ manifest, broken, found }) => {
    const { entry = {} } = manifest;
    if (!isJsonObject(entry))
      return broken(
        ['entry'],
        '"entry" is not an object',
        'Write { "cmd": ["python3", "${plugin_dir}/plugin.py"] }.',
      );
    const env = environmentOf(entry['env']);
    if (env === undefined)
      return broken(['entry', 'env'], '"env" is not an object of texts', 'Write { "NAME": "value" }.');
    const { key, program } = await yamsProgram(folder, entry, env, platform);
    return program.ok ? found('yams', program, env) : broken(['entry', key], program.reason, program.wayOut);
  });
}

const systems: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/** The binary for this system if it exists, otherwise the commands, otherwise the usual files. */
async function yamsProgram(
  folder: string,
  entry: JsonObject,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Promise<{ key: string; program: EntryProgram }> {
  const binaries = isJsonObject(entry['binary']) ? entry['binary'] : {};
  const binary = binaries[systems[platform] ?? platform];
  const commands = ['fallback_cmd', 'cmd'].filter((key) => entry[key] !== undefined);
  if (typeof binary === 'string') {
    const program = await entryProgram(folder, [binary], platform, env);
    // A binary that was not built is not an error if there is a command; one outside the folder is.
    const isThere = (await locate(folder, binary.replaceAll('${plugin_dir}', folder))).kind !== 'absent';
    if (program.ok || isThere || commands.length === 0) return { key: 'binary', program };
  }
  for (const key of commands) {
    const words = wordsOf(entry[key]);
    const program: EntryProgram = words
      ? await entryProgram(folder, words, platform, env)
      : {
          ok: false,
          reason: `"${key}" is not a list of words, or needs a shell`,
          wayOut: 'Write ["python3", "${plugin_dir}/plugin.py"].',
        };
    return { key, program };
  }
  for (const name of platform === 'win32' ? ['plugin.exe', 'plugin.py'] : ['plugin', 'plugin.py']) {
    if ((await locate(folder, name)).kind === 'file')
      return { key: '', program: await entryProgram(folder, [`./${name}`], platform, env) };
  }
  const reason = 'nothing to start: no "entry", and neither "plugin" nor "plugin.py" beside the manifest';
  return {
    key: '',
    program: { ok: false, reason, wayOut: 'Add "entry": { "cmd": ["python3", "${plugin_dir}/plugin.py"] }.' },
  };
}

function wordsOf(value: Json | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return commandWords(value);
  if (!Array.isArray(value)) return undefined;
  return value.every((word): word is string => typeof word === 'string') ? value : undefined;
}

function environmentOf(value: Json | undefined): Record<string, string> | undefined {
  if (value === undefined) return {};
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : undefined;
}
