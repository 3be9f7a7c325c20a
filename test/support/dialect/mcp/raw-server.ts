// The raw end of an MCP server over memory: its handshake is what a test says, and the test plays the rest.
import type { RawEnd } from '../../channel/raw-end.ts';
import { hostAndRawEnd, type HostOptions, type Told } from '../dialect-host.ts';
import type { HostDialect, WirePort } from '../../../../src/dialect/host-dialect.ts';

export interface ServerOptions extends HostOptions {
  readonly protocolVersion?: string;
  /** @default tools with listChanged */
  readonly capabilities?: object;
  readonly serverInfo?: object;
  readonly instructions?: string;
  /** @default one that echoes */
  readonly tools?: readonly unknown[];
}

export const echoTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};

export interface Server {
  readonly raw: RawEnd;
  readonly end: WirePort;
  readonly told: Told;
}

type Message = { readonly id?: number; readonly method: string; readonly params?: unknown };

/** A host after the handshake with a raw server; its messages until then have been read. */
export async function connected(dialect: HostDialect, options: ServerOptions = {}): Promise<Server> {
  const { raw, connected, told } = hostAndRawEnd(dialect, 'lines', options);
  await introduceServer(raw, options);
  return { raw, end: await connected, told };
}

/** Plays the server until the host knows its tools. */
export async function introduceServer(raw: RawEnd, options: ServerOptions = {}): Promise<void> {
  const capabilities = options.capabilities ?? { tools: { listChanged: true } };
  const hello = await raw.nextRequest();
  raw.answer(hello.id, helloResult(options));
  await expectMethod(raw, 'notifications/initialized');
  if ('tools' in capabilities) {
    const { id } = await expectRequest(raw, 'tools/list');
    raw.answer(id, { tools: options.tools ?? [echoTool] });
  }
}

export function helloResult(options: ServerOptions = {}): object {
  return {
    protocolVersion: options.protocolVersion ?? '2025-11-25',
    capabilities: options.capabilities ?? { tools: { listChanged: true } },
    serverInfo: options.serverInfo ?? { name: 'the-server', version: '1.2.3' },
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  };
}

/** The next message, which has to be of this method. */
export async function expectMethod(raw: RawEnd, method: string): Promise<Message> {
  const message = (await raw.next()) as Message; // the host sends nothing but JSON-RPC
  if (message.method !== method) throw new Error(`Expected ${method}, got ${JSON.stringify(message)}`);
  return message;
}

/** The next request, as one that has to be answered. */
export async function expectRequest(raw: RawEnd, method: string): Promise<Required<Message>> {
  return (await expectMethod(raw, method)) as Required<Message>;
}
