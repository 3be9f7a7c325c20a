// Revision 2026-07-28, which has no handshake: every request names its version and its client, and every result its server.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Id } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import { invalidParams } from './client-requests.ts';
import { wireCodes } from './codes.ts';
import { methods } from './schema.ts';

export const STATELESS_VERSION = '2026-07-28';
export const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/** In the `_meta` of `subscriptions/listen`: our own servers then send the logs that belong to no request, which this revision leaves out. */
export const LOGS_META = 'pluglot/logs';

/** What a request of this revision says of itself beside its params. */
export interface Envelope {
  /** Without it nothing is logged. */
  readonly logLevel?: Json | undefined;
  readonly clientInfo?: Json | undefined;
  readonly capabilities: JsonObject;
}

/** The version that a request names; undefined for one of an earlier revision. */
export function versionIn(params: unknown): string | undefined {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  const version = isJsonObject(meta) ? meta[metaKey('protocolVersion')] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Whether a message is of this revision, by its own account. */
export function hasEnvelope(params: unknown): boolean {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return isJsonObject(meta) && Object.hasOwn(meta, metaKey('protocolVersion'));
}

/** What a client sends with each request. */
export function clientMeta(clientInfo: JsonObject, capabilities: JsonObject): JsonObject {
  return {
    [metaKey('protocolVersion')]: STATELESS_VERSION,
    [metaKey('clientInfo')]: clientInfo,
    [metaKey('clientCapabilities')]: capabilities,
    // Otherwise a server logs nothing.
    [metaKey('logLevel')]: 'debug',
  };
}

/** Undefined when the request is of an earlier revision. @throws RpcError -32022 or -32602 */
export function readEnvelope({ _meta }: JsonObject): Envelope | undefined {
  if (!isJsonObject(_meta)) return undefined;
  const version = _meta[metaKey('protocolVersion')];
  if (version === undefined) return undefined;
  if (version !== STATELESS_VERSION)
    throw new RpcError(wireCodes.UNSUPPORTED_PROTOCOL ?? -32022, 'Unsupported protocol version', {
      supported: [STATELESS_VERSION],
      requested: version,
    });
  const capabilities = _meta[metaKey('clientCapabilities')];
  if (!isJsonObject(capabilities))
    throw invalidParams(`_meta.${metaKey('clientCapabilities')}`, capabilities, 'an object');
  return { logLevel: _meta[metaKey('logLevel')], clientInfo: _meta[metaKey('clientInfo')], capabilities };
}

/** Whether a method is one of this revision, or of the earlier ones. */
export function isMethodOf(revision: 'stateless' | 'session', method: string): boolean {
  return !(revision === 'stateless' ? sessionOnly : statelessOnly).has(method);
}

const sessionOnly: ReadonlySet<string> = new Set([
  methods.initialize,
  methods.ping,
  methods.setLevel,
  methods.subscribe,
  methods.unsubscribe,
]);
const statelessOnly: ReadonlySet<string> = new Set([methods.discover, methods.listen]);

/** Lists may change at any time, so none can be kept for longer than its moment. */
export function completeResult(method: string, result: JsonObject, serverInfo: JsonObject): JsonObject {
  const { _meta, resultType = 'complete' } = result;
  return {
    ...result,
    ...(resultType === 'complete' && cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
    resultType,
    _meta: { ...(isJsonObject(_meta) ? _meta : {}), [metaKey('serverInfo')]: serverInfo },
  };
}

const cacheable: ReadonlySet<string> = new Set([
  methods.discover,
  methods.listTools,
  methods.listPrompts,
  methods.listResources,
  methods.listResourceTemplates,
  methods.readResource,
]);

/** Marks what belongs to a subscription. */
export function subscriptionMeta(id: Id): JsonObject {
  return { _meta: { [metaKey('subscriptionId')]: id } };
}
