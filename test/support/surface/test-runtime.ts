// A small host for tests: plugins in this process, one with a process of its own, and its API over HTTP where that is wanted.
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { deferred } from '../../../src/base/async.ts';
import { definePlugin } from '../../../src/definition/define-plugin.ts';
import { createApprovalQueue, type ApprovalQueue } from '../../../src/gate/approval/queue.ts';
import type { RuntimeApi } from '../../../src/runtime/api.ts';
import { connectRuntime } from '../../../src/runtime/connect/connect-runtime.ts';
import { createRuntime, type Runtime } from '../../../src/runtime/create-runtime.ts';
import { createTokens, type Tokens } from '../../../src/runtime/tokens/tokens.ts';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../../src/surface/http/server.ts';
import { root } from '../project.ts';
import { temporaryFolder, type Content } from '../temporary-folder.ts';

/** Opens the API, for a client. */
export const TOKEN = 'a-token-for-tests-that-is-long-enough-and-more';
/** Lets a browser in, which is the user. */
export const COOKIE = 'a-cookie-for-tests-that-is-long-enough-and-more';

export function testTokens(): Tokens {
  return createTokens([
    { name: 'test', purpose: 'api', secret: TOKEN },
    { name: 'console:test', purpose: 'console', secret: COOKIE },
  ]);
}

export interface TestRuntime {
  readonly runtime: Runtime;
  /** The same, as others see it. */
  readonly api: Runtime;
  readonly queue: ApprovalQueue;
  readonly state: string;
  /** Resolves when the tool `wait` is under way. */
  readonly waiting: Promise<void>;
  /** Resolves when it was cancelled. */
  readonly cancelled: Promise<void>;
}

export interface TestRuntimeOptions {
  /** What `talker` is, in the user's own configuration; it has a process of its own. @default there is none */
  readonly talker?: boolean;
  readonly files?: Readonly<Record<string, Content>>;
}

export async function testRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const { talker = false, files = {} } = options;
  const folder = temporaryFolder({
    'project/.keep': '',
    'home/pluglot/pluglot.json': talker ? { plugins: { talker: talkerEntry } } : {},
    ...files,
  });
  const home = path.join(folder, 'home');
  const queue = createApprovalQueue();
  const runtime = await createRuntime({
    cwd: path.join(folder, 'project'),
    home,
    env: { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') },
    builtIns: false,
    containment: 'group',
    approvals: queue,
    version: '1.2.3',
    traffic: true,
  });
  const waiting = deferred<void>();
  const cancelled = deferred<void>();
  runtime.registry.registerPlugin(
    greeter(
      () => waiting.resolve(),
      () => cancelled.resolve(),
    ),
  );
  await runtime.registry.discover();
  await runtime.registry.exposeAll();
  onTestFinished(() => runtime.close());
  const { state } = runtime.folders;
  return { runtime, api: runtime, queue, state, waiting: waiting.promise, cancelled: cancelled.promise };
}

const talkerEntry = {
  command: process.execPath,
  args: [path.join(root, 'test/plugins/gassist/well-behaved.mjs'), '--token', 'sk-very-secret-1234567890'],
  dialect: 'gassist',
};

function greeter(waits: () => void, cancels: () => void) {
  return definePlugin({
    name: 'greeter',
    version: '2.0.0',
    description: 'Greets.',
    instructions: 'Greet everybody.',
    tools: {
      greet: {
        description: 'Greets somebody.',
        input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        handler: ({ name }) => `Hello ${name}`,
      },
      count: {
        description: 'Counts.',
        async *handler() {
          yield 'one ';
          yield 'two ';
          return 'three';
        },
      },
      echo: { description: 'Gives back.', handler: (args) => ({ data: args }) },
      fail: {
        description: 'Fails.',
        handler: () => {
          throw new Error('It is broken.');
        },
      },
      wait: {
        description: 'Waits until it is given up.',
        handler: (_, { signal, log }) =>
          new Promise((resolve) => {
            log('info', 'waiting');
            waits();
            signal.addEventListener('abort', () => {
              cancels();
              resolve('given up');
            });
          }),
      },
      large: {
        description: 'Says much.',
        async *handler() {
          for (let part = 0; part < 200; part += 1) yield 'x'.repeat(64 * 1024);
          return 'end';
        },
      },
    },
    commands: {
      hello: {
        description: 'Says hello.',
        parameters: [{ name: 'who', description: 'Whom.' }],
        complete: (_, typed) => [`${typed}1`, `${typed}2`],
        handler: ({ who }) => `hello ${typeof who === 'string' ? who : 'you'}`,
      },
    },
    autoApprove: ['count'],
  });
}

export interface TestServer extends TestRuntime {
  readonly server: HttpServer;
  /** A connection of the user, over the socket. */
  readonly user: () => Promise<RuntimeApi>;
}

export async function testServer(
  options: Partial<HttpServerOptions> = {},
  runtimeOptions: TestRuntimeOptions = {},
): Promise<TestServer> {
  const host = await testRuntime(runtimeOptions);
  const unixSocket = path.join(temporaryFolder(), 'run', 'up.sock');
  const server = await createHttpServer({ api: host.api, tokens: testTokens(), unixSocket, ...options });
  onTestFinished(() => server.close());
  return { ...host, server, user: () => connected(`unix:${options.unixSocket ?? unixSocket}`) };
}

/** Each way of the user to a host: in this process, over a socket. */
export const ways: Readonly<
  Record<string, (options?: TestRuntimeOptions) => Promise<TestRuntime & { readonly remote: RuntimeApi }>>
> = {
  local: async (options) => {
    const host = await testRuntime(options);
    return { ...host, remote: host.api };
  },
  socket: async (options) => {
    const host = await testServer({}, options);
    return { ...host, remote: await host.user() };
  },
};

export async function connected(address: string, token?: string): Promise<RuntimeApi> {
  const api = await connectRuntime(address, token, { retry: { firstMs: 5, longestMs: 50 } });
  onTestFinished(() => api.close());
  return api;
}
