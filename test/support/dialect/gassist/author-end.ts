// A plugin on the author end of G-Assist, and the raw end that plays the engine.
import type { JsonObject } from '../../../../src/base/json.ts';
import type { ServedPort } from '../../../../src/definition/plugin-port.ts';
import { definePlugin } from '../../../../src/definition/define-plugin.ts';
import type { ExecutorDefinition, Handler, SetupContext } from '../../../../src/definition/definition.ts';
import type { Served } from '../../../../src/dialect/author-dialect.ts';
import { gassistAuthor } from '../../../../src/dialect/gassist/author.ts';
import { servedToRawHost, type AuthorOptions } from '../author-end.ts';
import type { RawEnd } from '../../channel/raw-end.ts';
import { running } from '../../definition/running-definition.ts';

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

export function servedPlugin(plugin: TestPlugin = {}, options: AuthorOptions = {}): PluginUnderTest {
  return servedBackend(backendOf(plugin), options);
}

export function servedBackend(backend: ServedPort, options: AuthorOptions = {}): PluginUnderTest {
  const plugin = servedToRawHost(gassistAuthor, 'length-prefix', backend, options);
  return {
    ...plugin,
    ask: (id, method, params) => plugin.raw.send({ jsonrpc: '2.0', id, method, params }),
  };
}

export function backendOf(plugin: TestPlugin = {}): ServedPort {
  return running(definePlugin({ name: 'my-plugin', version: '1.0.0', ...plugin })).backend;
}
