// What a server asks in the middle of a call goes to whoever made the call: a turn of their model, something of their user, their folders.
import { ProtocolError, type ClientCapabilities } from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { standardErrors } from '../../channel/message/rpc-error.ts';
import type { Asker, PluginQuestion } from '../../definition/asker.ts';
import { methods } from './schema.ts';

/** Told to servers before anybody calls; who cannot do one of it says so when it is asked for. */
export const relayedCapabilities: ClientCapabilities = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: {},
};

/** A request of a server. Rejects with ProtocolError. */
export type Asked = (method: string, params: unknown, signal: AbortSignal) => Promise<Json>;

const kinds = new Map<string, PluginQuestion['kind']>([
  [methods.sample, 'sample'],
  [methods.elicit, 'elicit'],
  [methods.listRoots, 'roots'],
]);

/** Nothing in a request says to which call it belongs, so it has to be the only one. */
export async function relay(
  pluginName: string,
  calls: readonly { readonly asker: Asker | undefined }[],
  ...[method, params, signal]: Parameters<Asked>
): Promise<Json> {
  const kind = kinds.get(method);
  if (kind === undefined) throw refusal(standardErrors.methodNotFound.code, `Method not found: ${method}`);
  const [call] = calls;
  if (call === undefined)
    throw refusal(REFUSED, `${method} belongs to no call: nobody is there who could answer "${pluginName}".`);
  if (calls.length > 1)
    throw refusal(
      REFUSED,
      `${method} could belong to any of ${calls.length} calls of "${pluginName}" that are under way. Ask while one call is under way ("concurrency": 1).`,
    );
  return answerOf(call.asker, { kind, params: isJsonObject(params) ? params : {} }, signal);
}

/**
 * What servers of 2026 and later ask in place of a result: all of it, by the names they gave. @throws PluglotError when it cannot be answered
 */
export async function answersTo(
  requests: JsonObject,
  asker: Asker | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const entries = Object.entries(requests).map(async ([name, request]) => {
    const { method, params } = isJsonObject(request) ? request : {};
    const kind = typeof method === 'string' ? kinds.get(method) : undefined;
    if (kind === undefined)
      throw new PluglotError('UNSUPPORTED', `The plugin asks for ${shown(method)}, which nobody knows.`);
    const question = { kind, params: isJsonObject(params) ? params : {} };
    return [name, await answerOf(asker, question, signal)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function answerOf(
  asker: Asker | undefined,
  question: PluginQuestion,
  signal: AbortSignal,
): Promise<Json> {
  if (asker === undefined) throw refusal(REFUSED, 'Whoever made this call cannot be asked anything.');
  try {
    return await asker.ask(question, signal);
  } catch (thrown) {
    const { message } = toError(thrown);
    const isUnable = thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED';
    throw refusal(isUnable ? standardErrors.methodNotFound.code : REFUSED, message);
  }
}

const REFUSED = -32_600;

function refusal(code: number, message: string): ProtocolError {
  return new ProtocolError(code, message);
}
