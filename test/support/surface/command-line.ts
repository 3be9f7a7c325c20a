// The built command `pluglot` as people meet it: run to its end, or talked to while it runs. Each has a home of its own.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../project.ts';

export const program: string = path.join(root, 'dist/surface/cli/main.js');

export interface CliOptions {
  readonly home: string;
  /** @default that of the repository */
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Without all that would make a test depend on the user who runs it. */
export function environment({ home, env = {} }: CliOptions): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    // Not everything that starts programs leaves out what is undefined: some make a folder of that name.
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    HOME: home,
    PLUGLOT_HOME: path.join(home, 'pluglot'),
    TERM: 'xterm',
    ...env,
  };
}

export interface RunningCli {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when what was printed so far matches; rejects when the program ends before. */
  until(where: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Far more than anything takes, and less than a test has: so that a failure shows what was printed. */
export const UNTIL_MS = 15_000;

export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? root,
    env: environment(options),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A program may leave its input unread.
  child.stdin.on('error', () => {});
  const printed = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const look of waiting) look();
    });
  let isOver = false;
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      for (const look of waiting) look();
      resolve(code ?? signal ?? 'SIGKILL');
    });
  });
  return {
    child,
    get stdout() {
      return printed.stdout;
    },
    get stderr() {
      return printed.stderr;
    },
    until: (where, pattern) =>
      new Promise((resolve, reject) => {
        const look = (isLate = false) => {
          const found = pattern.exec(printed[where]);
          if (found === null && !isOver && !isLate) return;
          waiting.delete(look);
          clearTimeout(limit);
          if (found !== null) resolve(found);
          else
            reject(
              new Error(
                `It ${isLate ? 'goes on' : 'ended'} without ${pattern} on ${where}:\n${printed.stdout}${printed.stderr}`,
              ),
            );
        };
        const limit = setTimeout(() => look(true), UNTIL_MS);
        waiting.add(look);
        look();
      }),
    ended,
  };
}

export interface CliResult {
  readonly exitCode: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export async function cli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const running = startCli(args, options);
  running.child.stdin.end(options.input ?? '');
  const exitCode = await running.ended;
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

export function fixture(name: string): string {
  return path.join(root, 'test/plugins', name);
}
