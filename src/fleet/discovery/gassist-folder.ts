// A folder with the manifest.json of a G-Assist plugin.
import { isJsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Candidates } from './candidate.ts';
import { commandWords } from './command-words.ts';
import { type EntryProgram, entryProgram, locate } from './entry-program.ts';
import { manifestFolder } from './manifest-folder.ts';

/** Undefined when the folder has no manifest.json. */
export function gassistFolder(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  return manifestFolder(folder, 'manifest.json', async ({ manifest, broken, found }) => {
    const { executable, protocol_version: version, functions } = manifest;
    if (typeof executable !== 'string') {
      // Browser extensions and web pages have a manifest.json too.
      const reason =
        executable === undefined
          ? 'no manifest of G-Assist: "executable" is missing'
          : '"executable" is no text';
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
        '"functions" is no list of objects',
        'Write [{ "name": "…", "description": "…" }].',
      );
    }
    const program = await programOf(folder, executable, platform);
    return program.ok ? found('gassist', program) : broken(['executable'], program.reason, program.wayOut);
  });
}

/** A file whose name has spaces, or a command line. */
async function programOf(
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
