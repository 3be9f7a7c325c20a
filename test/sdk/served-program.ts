// A program on the SDK with a host that says what a test wants: one line of JSON-RPC after the other.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { root } from '../support/project.ts';
import { RawEnd } from '../support/channel/raw-end.ts';

export interface ServedProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly host: RawEnd;
  /** All that it printed to stderr, when it is over. */
  readonly stderr: Promise<string>;
  /** The exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  /** Has a tool run, in the words of gevals. */
  readonly execute: (id: number, operation: string, args?: object, timeout?: string) => void;
  /** The next answer; what is logged before it is left in `host.received`. */
  readonly answer: () => Promise<Answered>;
}

interface Answered {
  readonly id: number;
  readonly result?: {
    readonly success: boolean;
    readonly message?: string;
    readonly error?: string;
    readonly outputs?: Readonly<Record<string, string>>;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export function serveProgram(
  program: string,
  {
    args = [],
    env = {},
    nodeArgs = [],
  }: { args?: string[]; env?: NodeJS.ProcessEnv; nodeArgs?: string[] } = {},
): ServedProgram {
  const file = path.join(root, 'test/plugins/sdk', program);
  const child = spawn(process.execPath, [...nodeArgs, file, ...args], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const host = new RawEnd(child.stdout, child.stdin, 'lines');
  return {
    child,
    host,
    stderr: textOf(child.stderr),
    ended: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
    execute: (id, operation, args = {}, timeout = '30s') =>
      host.send({ jsonrpc: '2.0', id, method: 'execute', params: { operation, args, context: { timeout } } }),
    async answer() {
      for (;;) {
        const message = (await host.next()) as { method?: string };
        if (message.method === undefined) return message as Answered;
      }
    },
  };
}

/** All of it, also when the reading end was closed. */
async function textOf(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(stream, 'close');
  return text;
}

/** Waits for a log. */
export async function untilLogged(host: RawEnd, message: string): Promise<void> {
  for (;;) {
    const { params } = (await host.next()) as { params?: { message?: string } };
    if (params?.message === message) return;
  }
}

/** What was logged to the host until now. */
export function logged(host: RawEnd): { level: string; message: string }[] {
  return host.received.flatMap((message) => {
    const { method, params } = message as { method?: string; params: { level: string; message: string } };
    return method === 'log' ? [params] : [];
  });
}
