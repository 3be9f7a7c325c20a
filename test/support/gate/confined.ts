// Programs in the sandbox of this machine, for tests.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { type Exit, type Program, type Running, spawn } from '../../../src/fleet/supervisor/spawn.ts';
import { findSandbox, isSandbox } from '../../../src/gate/sandbox/find-sandbox.ts';
import type { Confinement, Sandbox } from '../../../src/gate/sandbox/sandbox.ts';

/** A home folder with secrets in it, for the whole of a test file. */
export const home = homeFolder();

/** Undefined where this machine has no sandbox. */
export const sandbox = await sandboxHere();

export const SECRET = 'do-not-read-me';

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: Exit;
}

/** A script of the shell in the sandbox. Its exit code is that of `exit`. */
export function confinedScript(
  workspace: string,
  script: string,
  {
    args = [],
    env = {},
    ...more
  }: Partial<Confinement> & { args?: readonly string[]; env?: Program['env'] } = {},
): Running {
  const program = {
    command: '/bin/sh',
    args: ['-c', script, 'sh', ...args],
    cwd: workspace,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  };
  return spawn(confined(program, { workspace, ...more }), { stderrLimit: 256 * 1024 });
}

export function confined(
  program: Program,
  confinement: Pick<Confinement, 'workspace'> & Partial<Confinement>,
): Program {
  if (sandbox === undefined) throw new Error('There is no sandbox here.');
  return sandbox.confine(program, { access: 'writable', network: false, ...confinement });
}

/** Reads all that it prints, and waits until nothing of it is left. */
export async function ended(running: Running): Promise<Ended> {
  const chunks: Buffer[] = [];
  const read = new Promise<void>((resolve) => {
    running.pipe.open({ data: (chunk) => void chunks.push(Buffer.from(chunk)), end: () => resolve() });
  });
  void running.pipe.finish();
  const [exit] = await Promise.all([running.exited, read, running.gone]);
  return { stdout: Buffer.concat(chunks).toString(), stderr: exit.stderr, exit };
}

function homeFolder(): string {
  // Not below /tmp, which every program in a sandbox has of its own.
  const folder = fs.mkdtempSync(
    path.join(fs.existsSync('/var/tmp') ? '/var/tmp' : os.tmpdir(), 'pluglot-home-'),
  );
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  return fs.realpathSync(folder);
}

async function sandboxHere(): Promise<Sandbox | undefined> {
  const hidden = [path.join(home, 'state'), path.join(home, 'work', 'state')];
  const own = { kept: [], hidden, hiddenFiles: [] };
  const found = await findSandbox({ env: process.env, home, own: () => own });
  if (isSandbox(found)) return found;
  process.stderr.write(`Tests of the sandbox are skipped: ${found.missing}. ${found.fix}.\n`);
  return undefined;
}
