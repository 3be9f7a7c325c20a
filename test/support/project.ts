// A throw-away project under this repository's own configuration, for checks that must catch a broken twin.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const root: string = path.resolve(import.meta.dirname, '../..');

/** Writes files beside copies of the configuration; the folder is removed when the callback is done. */
export async function withProject<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    for (const name of configuration) fs.copyFileSync(path.join(root, name), path.join(folder, name));
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
    return use(folder);
  });
}

/** A temporary folder for as long as the callback runs. */
async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  // The real path: tools that compare paths must not meet a symbolic link on the way.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-')));
  try {
    return await use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export interface Ran {
  readonly exitCode: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, without input; never rejects, so that a test can look at how it failed. */
export function execute(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number; input?: string } = {},
): Promise<Ran> {
  const { cwd = root, env = process.env, timeoutMs = 60_000 } = options;
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ exitCode: error ? (error.code ?? error.signal ?? 1) : 0, stdout, stderr });
      },
    );
    child.stdin?.end(options.input);
  });
}

/** Runs a program of node_modules on this Node. */
export function executeBin(file: string, args: readonly string[], cwd: string = root): Promise<Ran> {
  return execute(process.execPath, [path.join(root, 'node_modules', file), ...args], {
    cwd,
    timeoutMs: 110_000,
  });
}

const configuration = [
  '.dependency-cruiser.mjs',
  '.oxlintrc.json',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
];
