// A plugin on the author end of G-Assist, and the raw end that plays the engine.
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Pipe } from '../../src/channel/bytes/pipe.ts';
import type { Backend } from '../../src/definition/backend.ts';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import type { ExecutorDefinition, Handler, SetupContext } from '../../src/definition/definition.ts';
import { runDefinition } from '../../src/definition/run/run-definition.ts';
import type { AuthorServices, Served } from '../../src/dialect/author-dialect.ts';
import { gassistAuthor } from '../../src/dialect/gassist/author.ts';
import { pipeAndRawEnd, type RawEnd } from './raw-end.ts';

/** What a test says of its plugin. */
export interface TestPlugin {
  readonly description?: string;
  readonly config?: JsonObject;
  readonly tools?: Readonly<Record<string, TestTool>>;
  readonly onInput?: Handler<string>;
  readonly executor?: ExecutorDefinition;
  readonly setup?: (context: SetupContext) => unknown;
  readonly teardown?: () => unknown;
}

export interface TestTool {
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly input?: JsonObject;
  readonly handler: Handler<JsonObject>;
}

export interface PluginUnderTest {
  readonly raw: RawEnd;
  readonly served: Served;
  /** What it would have written to stderr. */
  readonly printed: readonly string[];
  /** Sends a request under this id. */
  readonly ask: (id: number | string | null, method: string, params?: unknown) => void;
}

export function servedPlugin(
  options: TestPlugin = {},
  services: Partial<AuthorServices> = {},
): PluginUnderTest {
  return servedBackend(backendOf(options), services);
}

export function servedBackend(backend: Backend, services: Partial<AuthorServices> = {}): PluginUnderTest {
  const { pipe, raw } = pipeAndRawEnd('length-prefix');
  onTestFinished(() => pipe.destroy());
  return {
    raw,
    ...serveOn(pipe, backend, services),
    ask: (id, method, params) => raw.send({ jsonrpc: '2.0', id, method, params }),
  };
}

export function serveOn(
  pipe: Pipe,
  backend: Backend,
  services: Partial<AuthorServices> = {},
): Pick<PluginUnderTest, 'served' | 'printed'> {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  return { served: gassistAuthor.serve(pipe, backend, { clock: systemClock, print, ...services }), printed };
}

export function backendOf(options: TestPlugin = {}): Backend {
  return runDefinition(definePlugin({ name: 'my-plugin', version: '1.0.0', ...options }), {
    clock: systemClock,
    dataFolder: () => '/nowhere',
    hasCommand: () => true,
    readFile: async () => new Uint8Array(),
    log: () => {},
  });
}
