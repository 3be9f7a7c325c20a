// Parameters of clients, and errors as MCP has them.
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { KiB } from '../../base/units.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import { metaKey } from '../../dialect/mcp/stateless.ts';

/** @throws RpcError -32602 */
export function textOf(value: Json | undefined, name: string): string {
  if (typeof value === 'string') return value;
  throw new RpcError(standardErrors.invalidParams.code, `Invalid params: "${name}" has to be a string.`);
}

/** @throws RpcError -32602 */
export function textsOf(value: Json | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text, `arguments.${name}`)]));
}

/** Sessions and calls that wait for an answer keep clientInfo and capabilities. Characters of JSON, both together. */
const CLIENT_MAX = 16 * KiB;

/** Why a request is refused because of its params. */
export function refusedParams(params: unknown): { code: number; message: string } | undefined {
  if (!isJsonObject(params)) return undefined;
  const { arguments: args, clientInfo, capabilities, _meta } = params;
  const meta = isJsonObject(_meta) ? _meta : {};
  // Code that copies arguments would leave it out without an error.
  if (isJsonObject(args) && Object.hasOwn(args, '__proto__'))
    return invalidParams('no argument can have the name "__proto__".');
  const client = [clientInfo, capabilities, meta[metaKey('clientInfo')], meta[metaKey('clientCapabilities')]];
  if (client.every((part) => part === undefined)) return undefined;
  const size = JSON.stringify(client).length;
  return size > CLIENT_MAX
    ? invalidParams(
        `clientInfo and capabilities have ${size} characters of JSON; at most ${CLIENT_MAX} are accepted.`,
      )
    : undefined;
}

function invalidParams(why: string): { code: number; message: string } {
  return { code: standardErrors.invalidParams.code, message: `Invalid params: ${why}` };
}

/** What a request is answered with when it failed. */
export function wireError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  const isUnknown = thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED';
  const { code } = isUnknown ? standardErrors.invalidParams : standardErrors.internalError;
  return new RpcError(code, toError(thrown).message);
}

/** For requests that will not be answered any more; clients know the number for a connection that is closed. */
export function endedError(reason: string): RpcError {
  return new RpcError(-32_000, reason);
}
