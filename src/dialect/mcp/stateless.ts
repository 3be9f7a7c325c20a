// Revision 2026-07-28, which knows no hello: every request tells its version, and every result who gave it.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Id } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Profile } from '../../definition/backend.ts';
import { invalidParams } from './client-requests.ts';
import { wireCodes } from './codes.ts';
import { methods } from './schema.ts';
import { capabilitiesOf, serverInfoOf } from './server-hello.ts';

const REVISION = '2026-07-28';
const key = (name: string) => `io.modelcontextprotocol/${name}`;

/** What a request of this revision says of itself beside its params. */
export interface Envelope {
  /** Without it nothing is logged. */
  readonly logLevel?: Json | undefined;
}

/** Undefined when the request is of an earlier revision. @throws RpcError -32022 or -32602 */
export function readEnvelope({ _meta }: JsonObject): Envelope | undefined {
  if (!isJsonObject(_meta)) return undefined;
  const version = _meta[key('protocolVersion')];
  if (version === undefined) return undefined;
  if (version !== REVISION)
    throw new RpcError(wireCodes.UNSUPPORTED_PROTOCOL ?? -32022, 'Unsupported protocol version', {
      supported: [REVISION],
      requested: version,
    });
  const capabilities = _meta[key('clientCapabilities')];
  if (!isJsonObject(capabilities))
    throw invalidParams(`_meta.${key('clientCapabilities')}`, capabilities, 'an object');
  return { logLevel: _meta[key('logLevel')] };
}

/** Whether a method is one of this revision, or of the earlier ones. */
export function isMethodOf(revision: 'stateless' | 'earlier', method: string): boolean {
  return !(revision === 'stateless' ? earlierOnly : statelessOnly).has(method);
}

const earlierOnly: ReadonlySet<string> = new Set([methods.initialize, methods.ping, methods.setLevel]);
const statelessOnly: ReadonlySet<string> = new Set([methods.discover, methods.listen]);

export function discoverResult(profile: Profile): JsonObject {
  const { instructions } = profile;
  return {
    supportedVersions: [REVISION],
    capabilities: capabilitiesOf(profile),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** Lists may change at any time, so none is good for longer than its moment. */
export function completeResult(method: string, result: JsonObject, profile: Profile): JsonObject {
  const { _meta } = result;
  return {
    ...result,
    ...(cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
    resultType: 'complete',
    _meta: { ...(isJsonObject(_meta) ? _meta : {}), [key('serverInfo')]: serverInfoOf(profile) },
  };
}

const cacheable: ReadonlySet<string> = new Set([methods.discover, methods.listTools, methods.listPrompts]);

/** Marks what belongs to a subscription. */
export function subscriptionMeta(id: Id): JsonObject {
  return { _meta: { [key('subscriptionId')]: id } };
}
