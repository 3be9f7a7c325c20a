// Says hello to a server with the official client: `initialize`, and where a server wants another version, that one.
import fs from 'node:fs';
import {
  Client,
  ProtocolError,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ClientOptions,
  type Result,
} from '@modelcontextprotocol/client';
import { isJsonObject } from '../../base/json.ts';
import type { HostServices } from '../host-dialect.ts';
import { supportedIn } from './errors.ts';
import type { Line } from './line.ts';
import { relayedCapabilities, type Asked } from './relayed-questions.ts';
import { Tap, type Notified } from './tap.ts';

/** Longer than any call: time limits are not the client's. Node's timers take no more. */
export const LONGEST_MS = 0x7fffffff;

/** The first version without `initialize`. */
const MODERN = '2026-07-28';

/** The official client, and what it speaks through. */
export interface Greeted {
  readonly client: Client;
  readonly tap: Tap;
}

/**
 * `initialize` goes first, since servers from before 2026 may end at anything else; one that knows only later versions refuses it.
 * Rejects as the client does, with what was said to the first hello.
 */
export async function sayHello(
  line: Line,
  pluginName: string,
  services: HostServices,
  notified: Notified,
  asked: Asked,
): Promise<Greeted> {
  const attempt = (options: ClientOptions) => connect(options, line, pluginName, services, notified, asked);
  try {
    return await attempt({});
  } catch (first) {
    const other = line.ending === undefined ? otherVersion(first) : undefined;
    if (other === undefined) throw first;
    try {
      return await attempt(other);
    } catch {
      throw first;
    }
  }
}

async function connect(
  options: ClientOptions,
  line: Line,
  pluginName: string,
  services: HostServices,
  notified: Notified,
  asked: Asked,
): Promise<Greeted> {
  const client = new Client(clientInfo(), {
    capabilities: services.relaysQuestions === true ? relayedCapabilities : {},
    inputRequired: { autoFulfill: false },
    // Output is checked by ourselves: the client's check can be made to run for ever by a schema.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    ...options,
  });
  client.onerror = (error) => {
    // What fails a request is told to whoever made it.
    if (!(error instanceof SdkHttpError) && error.name !== 'AbortError')
      services.trouble({ kind: 'thrown', where: 'the MCP client', error });
  };
  if (services.relaysQuestions === true)
    client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) =>
      (await asked(method, params, mcpReq.signal)) as Result; // it came as JSON from whoever was asked
  const tap = new Tap(line, pluginName, services, notified);
  await client.connect(tap, { timeout: LONGEST_MS });
  return { client, tap };
}

/** What to try when the first hello was refused. */
function otherVersion(thrown: unknown): ClientOptions | undefined {
  const refusal = refusalIn(thrown);
  if (refusal === undefined) return undefined;
  const supported = supportedIn(refusal.data);
  const older = SUPPORTED_PROTOCOL_VERSIONS.find((version) => supported.includes(version));
  if (older !== undefined) return { supportedProtocolVersions: [older] };
  const isModern = supported.includes(MODERN) || refusal.code === -32022 || refusal.code === -32601;
  return isModern ? { versionNegotiation: { mode: { pin: MODERN } } } : undefined;
}

/** Over HTTP a refusal comes as the body of a 400. */
function refusalIn(thrown: unknown): { code: unknown; data?: unknown } | undefined {
  if (thrown instanceof ProtocolError) return thrown;
  if (!(thrown instanceof SdkHttpError) || thrown.status !== 400) return undefined;
  try {
    const body: unknown = JSON.parse(String(thrown.data['text']));
    const error = isJsonObject(body) ? body['error'] : undefined;
    return isJsonObject(error) ? { code: error['code'], data: error['data'] } : undefined;
  } catch {
    return undefined;
  }
}

function clientInfo(): { name: string; version: string } {
  const file = new URL('../../../package.json', import.meta.url);
  return {
    name: 'pluglot',
    // Our own file.
    version: (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version,
  };
}
