// A program on a real terminal, through a pseudo-terminal: what a person sees, and what is typed.
import pty from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { environment, program, UNTIL_MS } from './command-line.ts';
import { root } from '../project.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Screen {
  /** All that was written, as it was. */
  raw(): string;
  /** What a person sees of it: without colours, and without lines that were taken away. */
  text(): string;
  until(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number>;
}

export function onScreen(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = root,
  home: string = temporaryFolder(),
): Screen {
  return programOnScreen([program, ...args], env, cwd, home);
}

export function programOnScreen(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = root,
  home: string = temporaryFolder(),
): Screen {
  const terminal = pty.spawn(process.execPath, [...words], {
    cols: 80,
    rows: 24,
    cwd,
    env: { ...environment({ home, env }) },
  });
  onTestFinished(() => {
    try {
      terminal.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  });
  let written = '';
  let isOver = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const each of waiting) each();
  };
  terminal.onData((data) => {
    written += data;
    look();
  });
  const ended = new Promise<number>((resolve) =>
    terminal.onExit(({ exitCode, signal }) => {
      isOver = true;
      look();
      resolve(signal ? 128 + signal : exitCode);
    }),
  );
  return {
    raw: () => written,
    text: () => seen(written),
    type: (keys) => terminal.write(keys),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (isLate = false) => {
          const found = pattern.test(seen(written));
          if (!found && !isOver && !isLate) return;
          waiting.delete(check);
          clearTimeout(limit);
          if (found) resolve();
          else reject(new Error(`It ${isLate ? 'goes on' : 'ended'} without ${pattern}:\n${seen(written)}`));
        };
        const limit = setTimeout(() => check(true), UNTIL_MS);
        waiting.add(check);
        check();
      }),
    ended,
  };
}

function seen(written: string): string {
  // oxlint-disable-next-line no-control-regex -- the escapes of terminals are what it looks for
  const plain = written.replaceAll(/\u001B\[[0-9;?]*[A-JL-Za-z]/g, '').replaceAll('\r\n', '\n');
  return (
    plain
      .split('\n')
      // oxlint-disable-next-line no-control-regex -- the same
      .map((line) => line.replace(/^.*\r\u001B\[K/, '').replaceAll(/\u001B\[K|\r/g, ''))
      .join('\n')
  );
}
