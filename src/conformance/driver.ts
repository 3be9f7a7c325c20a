// The messages of a dialect that the checks send and read. A driver accepts whatever it can: the checks judge.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Tool } from '../definition/tool.ts';
import type { CallEnd, Conversation, Probe, DialectMessages } from './conversation.ts';
import { chooseProbe } from './probes.ts';

export interface Driver extends DialectMessages {
  readonly dialect: DialectName;
  /** In bytes: every plugin has to accept a message of this size. */
  readonly largestMessage: number;
  /** In bytes: a plugin may refuse such a message, but has to go on. */
  readonly oversizeMessage: number;
  /** The handshake of a correct host. In some dialects a manifest on disk has more information. */
  connect(conversation: Conversation, manifest?: JsonObject): Promise<HandshakeResult>;
  /** The call to make by default, as harmless as possible. Undefined when the plugin lists nothing. */
  probe(handshake: HandshakeResult): Probe | undefined;
}

/** What the plugin declared in the handshake. */
export interface HandshakeResult {
  /** As received. */
  readonly raw: unknown;
  readonly tools: readonly Tool[];
}

type Usual = 'framing' | 'probe' | 'answersShutdown';

/** Messages are lines, the safest tool is called, and the plugin exits at the end of its input, unless the dialect says otherwise. */
export function driver(given: Omit<Driver, Usual> & Partial<Pick<Driver, Usual>>): Driver {
  return { framing: 'lines', probe: ({ tools }) => chooseProbe(tools), answersShutdown: false, ...given };
}

/** The result of `initialize`. @throws Unmet when it is refused */
export async function initialize(conversation: Conversation, params: JsonObject): Promise<Json | undefined> {
  const { error, result } = await conversation.request('initialize', params);
  if (error !== undefined) throw conversation.unmet('It refused to initialize.');
  return result;
}

/** For calls that end with the response, as in all dialects but G-Assist. */
export function endByResponse(
  id: number,
  message: JsonObject,
  isGood: (result: unknown) => boolean,
): CallEnd | undefined {
  if (message['id'] !== id || 'method' in message) return undefined;
  const code = codeOf(message);
  if (isJsonObject(message['error'])) return { ok: false, ...(code === undefined ? {} : { code }), message };
  return { ok: isGood(message['result']), message };
}

/** The code of an error response. */
export function codeOf(message: JsonObject): number | undefined {
  const { error } = message;
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'number' ? code : undefined;
}

export function request(id: number, method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

/** Left out when there is no padding. */
export function padded(padding: string | undefined, field = 'padding'): JsonObject {
  return padding === undefined ? {} : { [field]: padding };
}
