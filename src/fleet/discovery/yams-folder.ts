// A folder with the yams-plugin.json of a YAMS plugin.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Candidates } from './candidate.ts';
import { commandWords } from './command-words.ts';
import { type EntryProgram, entryProgram, locate } from './entry-program.ts';
import { manifestFolder } from './manifest-folder.ts';

/** Undefined when the folder has no yams-plugin.json. */
export function yamsFolder(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  return manifestFolder(folder, 'yams-plugin.json', async ({ manifest, broken, found }) => {
    const { entry = {} } = manifest;
    if (!isJsonObject(entry))
      return broken(
        ['entry'],
        '"entry" is no object',
        'Write { "cmd": ["python3", "${plugin_dir}/plugin.py"] }.',
      );
    const env = environmentOf(entry['env']);
    if (env === undefined)
      return broken(['entry', 'env'], '"env" is no object of texts', 'Write { "NAME": "value" }.');
    const { key, program } = await programOf(folder, entry, platform);
    return program.ok ? found('yams', program, env) : broken(['entry', key], program.reason, program.wayOut);
  });
}

const systems: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/** The binary for this system when it is there, else the commands, else the files that are usual. */
async function programOf(
  folder: string,
  entry: JsonObject,
  platform: NodeJS.Platform,
): Promise<{ key: string; program: EntryProgram }> {
  const binaries = isJsonObject(entry['binary']) ? entry['binary'] : {};
  const binary = binaries[systems[platform] ?? platform];
  const commands = ['fallback_cmd', 'cmd'].filter((key) => entry[key] !== undefined);
  if (typeof binary === 'string') {
    const program = await entryProgram(folder, [binary], platform);
    // One that was not built is no failure where there is another way; one that leads elsewhere is.
    const isThere = (await locate(folder, binary.replaceAll('${plugin_dir}', folder))).kind !== 'absent';
    if (program.ok || isThere || commands.length === 0) return { key: 'binary', program };
  }
  for (const key of commands) {
    const words = wordsOf(entry[key]);
    const program: EntryProgram = words
      ? await entryProgram(folder, words, platform)
      : {
          ok: false,
          reason: `"${key}" is no list of words, or needs a shell`,
          wayOut: 'Write ["python3", "${plugin_dir}/plugin.py"].',
        };
    return { key, program };
  }
  for (const name of platform === 'win32' ? ['plugin.exe', 'plugin.py'] : ['plugin', 'plugin.py']) {
    if ((await locate(folder, name)).kind === 'file')
      return { key: '', program: await entryProgram(folder, [`./${name}`], platform) };
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
