// Programs connected by pipes, started in one tick and ended together. Their data does not pass through this process.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findInPath } from '../../base/search-path.ts';
import { askProgram } from './ask-program.ts';
import { notStarted, type Program, type Running, type SpawnOptions } from './spawn.ts';
import type { SpawnProgram } from './launcher.ts';

/** A pipe of the system, by its two descriptors. */
export interface SystemPipe {
  readonly reading: number;
  readonly writing: number;
  close(): void;
}

/**
 * For connecting programs. Pipes created by Node are sockets, where a writer without a reader gets an error of
 * the connection: `git log | head` would complain.
 * @throws Error where the system has none
 */
export async function openPipes(count: number): Promise<readonly SystemPipe[]> {
  if (count === 0) return [];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-pipes-'));
  const pipes: SystemPipe[] = [];
  try {
    const files = Array.from({ length: count }, (_, index) => path.join(folder, String(index)));
    const command = findInPath('mkfifo', { path: SYSTEM_PATH, cwd: '/' });
    const isMade =
      command && (await askProgram({ command, args: ['-m', '600', ...files], cwd: '/', env: {} }));
    if (isMade === undefined) throw new Error('pipes cannot be made here: mkfifo does not work');
    for (const file of files) pipes.push(openPipe(file));
    return pipes;
  } catch (thrown) {
    for (const pipe of pipes) pipe.close();
    throw thrown;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const SYSTEM_PATH = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'].join(path.delimiter);

function openPipe(file: string): SystemPipe {
  const { O_RDONLY, O_NONBLOCK, O_WRONLY } = fs.constants;
  // Opened without waiting for a writer; the program gets a blocking one.
  const reading = fs.openSync(file, O_RDONLY | O_NONBLOCK);
  let writing: number;
  try {
    writing = fs.openSync(file, O_WRONLY);
  } catch (thrown) {
    fs.closeSync(reading);
    throw thrown;
  }
  return {
    reading,
    writing,
    close() {
      fs.closeSync(reading);
      fs.closeSync(writing);
    },
  };
}

/**
 * The first reads nothing. It ends as its last program does, and not before all of them.
 * @param members an error stands for a program that cannot be started: its neighbours run without it
 * @param pipes one less than members; they are closed here
 * @throws what `spawn` throws; programs that were started are ended
 */
export function spawnPipeline(
  members: readonly (Program | Error)[],
  pipes: readonly SystemPipe[],
  spawn: SpawnProgram,
  options: Omit<SpawnOptions, 'input' | 'output'> = {},
): Running {
  const all: Running[] = [];
  try {
    for (const [index, member] of members.entries()) {
      const output = pipes[index]?.writing;
      const input = pipes[index - 1]?.reading ?? 'nothing';
      all.push(
        member instanceof Error
          ? notStarted(member)
          : spawn(member, { ...options, input, ...(output !== undefined && { output }) }),
      );
    }
  } catch (thrown) {
    for (const one of all) void one.stop({ stdinMs: 0 }).catch(() => {});
    throw thrown;
  } finally {
    // Only the programs keep them, so that each notices when the other end is gone.
    for (const pipe of pipes) pipe.close();
  }
  const last = all.at(-1) ?? notStarted(new Error('there is no program in the pipeline'));
  if (all.length < 2) return last;
  const exited = Promise.all(all.map((one) => one.exited)).then(() => last.exited);
  return {
    pid: all.findLast(({ pid }) => pid !== undefined)?.pid,
    pipe: last.pipe,
    exited,
    gone: Promise.all(all.map((one) => one.gone)).then(() => {}),
    stderr: () => all.map((one) => one.stderr()).join(''),
    isStopped: () => all.some((one) => one.isStopped()),
    async stop(limits) {
      await Promise.all(all.map((one) => one.stop(limits)));
      return exited;
    },
    signal: (signal) => all.forEach((one) => one.signal(signal)),
  };
}
