// An endpoint over a registry and a gate of a test's own, with official clients of both eras.
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { Pipe } from '../../../src/channel/bytes/pipe.ts';
import { linkedPipes } from '../../../src/channel/bytes/stream-pipe.ts';
import type { Definition } from '../../../src/definition/definition.ts';
import type { PluginSpec } from '../../../src/definition/plugin-spec.ts';
import type { Plugin } from '../../../src/fleet/plugin/plugin.ts';
import { createRegistry, type Registry } from '../../../src/fleet/registry/registry.ts';
import { createGate, type Gate, type GateParts } from '../../../src/gate/gate.ts';
import type { RuntimeApi } from '../../../src/runtime/api.ts';
import { createTokens } from '../../../src/runtime/tokens/tokens.ts';
import { createHttpServer } from '../../../src/surface/http/server.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from '../../../src/surface/mcp/endpoint.ts';
import { fakeAudit, fakePolicy, type FakePolicy } from '../gate/gate.ts';
import { realFleet } from '../fleet/real-fleet.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface EndpointSetup extends Omit<EndpointOptions, 'runtime'> {
  /** Of clients without a profile. @default none is needed, unless there are `tokens` */
  readonly token?: string;
  readonly definitions?: readonly Definition[];
  readonly specs?: readonly PluginSpec[];
  readonly policy?: FakePolicy;
  readonly gate?: Partial<GateParts>;
  /** Pages that may ask. @default none */
  readonly allowedOrigins?: readonly string[];
}

export interface TestEndpoint {
  readonly endpoint: Endpoint;
  readonly registry: Registry;
  readonly gate: Gate;
  readonly url: URL;
  readonly logged: readonly string[];
  plugin(name: string): Plugin;
}

/** All of it is exposed when this resolves, and is gone when the test is over. */
export async function testEndpoint(setup: EndpointSetup = {}): Promise<TestEndpoint> {
  const { definitions = [], specs = [], policy = fakePolicy(), gate: parts, ...rest } = setup;
  const { token, allowedOrigins = [], ...options } = rest;
  const fleet = realFleet(specs, { relaysQuestions: true });
  const stateFolder = temporaryFolder();
  const registry = createRegistry({ fleet, env: {}, stateFolder });
  for (const definition of definitions) registry.registerPlugin(definition);
  for (const plugin of fleet.plugins) registry.registerPlugin(plugin);
  const gate = createGate({
    source: registry,
    policy,
    audit: fakeAudit(),
    spill: { folder: `${stateFolder}/results` },
    ...parts,
  });
  registry.useGate(gate);
  const failures = await registry.exposeAll();
  if (failures[0] !== undefined) throw failures[0].error;
  const logged: string[] = [];
  const endpoint = createEndpoint({
    runtime: { registry, gate },
    ...(token !== undefined && {
      tokens: createTokens([{ name: 'default', purpose: 'mcp', secret: token }]),
    }),
    log: ({ message }) => void logged.push(message),
    ...options,
  });
  const server = await createHttpServer({
    // Only /mcp is asked.
    api: {} as RuntimeApi,
    tokens: createTokens([]),
    allowedOrigins,
    mcp: (request, response) => void endpoint.handleHttp(request, response),
    closeMcp: () => endpoint.close(),
  });
  onTestFinished(async () => {
    await server.close();
    await gate.close();
    await registry.close();
  });
  const url = new URL(`${server.url}/mcp`);
  return { endpoint, registry, gate, url, logged, plugin: (name) => fleet.plugin(name) };
}

type Era = 'legacy' | 'modern';

export interface ClientSetup extends ClientOptions {
  readonly name?: string;
  readonly token?: string;
  readonly era?: Era;
}

export async function connectClient(url: URL, setup: ClientSetup = {}): Promise<Client> {
  const { token, ...rest } = setup;
  const requestInit =
    token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  return connected(new StreamableHTTPClientTransport(url, requestInit), rest);
}

/** A client on a pipe in this process. */
export async function connectOverPipe(endpoint: Endpoint, setup: ClientSetup = {}): Promise<Client> {
  const [near, far] = linkedPipes();
  const served = endpoint.serveStdio(far);
  onTestFinished(() => served);
  const transport = pipeTransport(near);
  onTestFinished(() => near.destroy());
  return connected(transport, setup);
}

/** Lines of JSON on a pipe, for the official client. */
function pipeTransport(pipe: Pipe): Transport {
  const decoder = new TextDecoder();
  let line = '';
  const transport: Transport = {
    async start() {
      pipe.open({
        data(chunk) {
          const complete = `${line}${decoder.decode(chunk, { stream: true })}`.split('\n');
          line = complete.pop() ?? '';
          for (const text of complete) transport.onmessage?.(JSON.parse(text) as JSONRPCMessage);
        },
        end: () => transport.onclose?.(),
      });
    },
    async send(message) {
      pipe.write({ text: `${JSON.stringify(message)}\n` });
    },
    close: async () => pipe.destroy(),
  };
  return transport;
}

async function connected(transport: Transport, setup: Omit<ClientSetup, 'token'>): Promise<Client> {
  const { name = 'tester', era = 'legacy', ...options } = setup;
  const client = new Client(
    { name, version: '1.0.0' },
    {
      ...options,
      ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}
