// How to start the program that a plugin's manifest names. Its files have to be in the plugin's own folder.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { splitCommandLine } from '../supervisor/program.ts';
import type { Evidence } from '../trust/trust-store.ts';
import { locate, startFiles } from './start-files.ts';

export type EntryProgram =
  | {
      readonly ok: true;
      readonly command: string;
      readonly args: readonly string[];
      /** What of the folder determines the program that is run. */
      readonly evidence: readonly Evidence[];
    }
  | { readonly ok: false; readonly reason: string; readonly wayOut: string };

/** @param words of a command line: a file of the folder, or a program of the system and a file of the folder */
export async function entryProgram(
  folder: string,
  given: readonly string[],
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string>> = {},
): Promise<EntryProgram> {
  const words = given.map((word) => word.replaceAll('${plugin_dir}', folder));
  // `/usr/bin/env python3` is `python3`.
  if (words[0] === '/usr/bin/env') words.splice(0, words[1] === '-S' ? 2 : 1);
  const [program = '', ...args] = words;
  if (program === '') return refuse('it names no program', 'Name the file to start.');

  const local = await locate(folder, program);
  if (local.kind === 'file') {
    const launched = args.length === 0 ? await launchedBy(local.file) : undefined;
    if (launched !== undefined) {
      const started = await entryProgram(folder, launched, platform, env);
      return started.ok ? { ...started, evidence: [...started.evidence, { file: local.file }] } : started;
    }
    if (isForWindows(program) && platform !== 'win32') return notThere(program, platform);
    return { ok: true, command: local.file, args, evidence: await startFiles(folder, words, env) };
  }
  if (local.kind === 'unfit') return refuse(`"${program}" is not a file`, 'Name the file to start.');
  const isSystem = path.isAbsolute(program) && systemFolders.has(path.dirname(program));
  if (local.kind === 'outside' && !isSystem) return outside(program);
  if (local.kind === 'absent' && (/[/\\]/.test(program) || looksLikeFile(program)))
    return notThere(program, platform);

  // A program of the system: the plugin is the file that it runs.
  const script = args.find((arg) => !arg.startsWith('-'));
  if (script === undefined || !(looksLikeFile(script) || /[/\\]/.test(script))) {
    return { ok: true, command: program, args, evidence: await startFiles(folder, words, env) };
  }
  const found = await locate(folder, script);
  switch (found.kind) {
    case 'file':
      return { ok: true, command: program, args, evidence: await startFiles(folder, words, env) };
    case 'outside':
      return outside(script);
    case 'absent':
    case 'unfit':
      return notThere(script, platform);
  }
}

/**
 * The command of a batch file that does nothing else, as `node "%~dp0plugin.js" %*`: plugins for Windows have one, and the command
 * runs anywhere. Undefined if the file does more, or is not a batch file.
 */
async function launchedBy(file: string): Promise<readonly string[] | undefined> {
  if (!/\.(bat|cmd)$/i.test(file)) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.length > LAUNCHER_MAX) return undefined;
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const commands = lines.filter(
    (line) => line !== '' && !/^(?:::|@?(?:rem|echo off|setlocal)\b)/i.test(line),
  );
  const [command = '', ...others] = commands;
  const line = command
    .replace(/^@/, '')
    .replace(/\s+%\*$/, '')
    .replaceAll(/%~dp0\\?/gi, './');
  if (others.length > 0 || /[%^!]/.test(line)) return undefined;
  const words = commandWords(line.replaceAll('\\', '/'));
  return words?.[0] === undefined || /\.(bat|cmd)$/i.test(words[0]) ? undefined : words;
}

const LAUNCHER_MAX = 10_000;

/** Folders of interpreters; a plugin may not start anything else outside its folder. */
const systemFolders = new Set(['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);

function notThere(name: string, platform: NodeJS.Platform): EntryProgram {
  if (isForWindows(name) && platform !== 'win32') {
    return refuse(`"${name}" is a program for Windows`, 'Name one that runs here, such as "plugin.py".');
  }
  return refuse(`"${name}" is not there`, 'Build the plugin first, or correct the name.');
}

function isForWindows(name: string): boolean {
  return /\.(exe|bat|cmd)$/i.test(name);
}

function looksLikeFile(word: string): boolean {
  return /\.(py|js|mjs|cjs|sh|rb|exe|bat|cmd)$/i.test(word);
}

function outside(name: string): EntryProgram {
  return refuse(
    `"${name}" is outside the plugin's folder`,
    'Put the program into the folder, or configure the plugin in pluglot.json.',
  );
}

function refuse(reason: string, wayOut: string): EntryProgram {
  return { ok: false, reason, wayOut };
}

/** The words of a command line; undefined if it needs a shell. */
export function commandWords(line: string): string[] | undefined {
  const unquoted = line.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (/["'|&;<>`()]/.test(unquoted)) return undefined;
  const words = splitCommandLine(line);
  // `NAME=value program` and `$NAME` need a shell.
  const needsShell = words.some((one) => /\$(?!\{plugin_dir\})/.test(one)) || /^\w+=/.test(words[0] ?? '');
  return needsShell ? undefined : words;
}
