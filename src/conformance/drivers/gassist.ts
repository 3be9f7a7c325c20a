// G-Assist V2: length-prefixed; `execute` is ended by a notification that names it, or by the response to it.
import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { toolsOf } from '../../dialect/gassist/tools.ts';
import { chooseProbe } from '../subject/choose-probe.ts';
import type { CallEnd, Driver } from './driver.ts';
import { endByResponse, padded, request } from './responses.ts';

export const gassistDriver: Driver = {
  dialect: 'gassist',
  framing: 'length-prefix',
  largestMessage: 10 * MiB,
  oversizeMessage: 10 * MiB + 1,
  async greet(conversation, manifest) {
    const answer = await conversation.request('initialize', {
      protocol_version: '2.0',
      engine_version: '1.0.0',
      capabilities: ['streaming', 'passthrough'],
    });
    if (answer['error'] !== undefined) throw conversation.unmet('It refused to initialize.');
    const { result } = answer;
    const commands = isJsonObject(result) ? result['commands'] : undefined;
    return { raw: result, tools: toolsOf(isJsonArray(commands) ? commands : [], manifest) };
  },
  probe: ({ tools }) => chooseProbe(tools),
  callMessage: (id, { tool, args }) => request(id, 'execute', { function: tool, arguments: args }),
  argumentsIn: 'arguments',
  endOfCall: (id, message) => endByNotification(id, message) ?? endByResult(id, message),
  signOfLife: (id, _, padding) => request(id, 'ping', { timestamp: id, ...padded(padding) }),
  goodbye: () => ({ jsonrpc: '2.0', method: 'shutdown', params: {} }),
  isGoodbyeAnswered: false,
};

function endByNotification(id: number, message: JsonObject): CallEnd | undefined {
  const { method, params } = message;
  if (!isJsonObject(params) || params['request_id'] !== id) return undefined;
  if (method === 'complete') return { ok: params['success'] === true, message };
  if (method !== 'error') return undefined;
  const { code } = params;
  return { ok: false, ...(typeof code === 'number' ? { code } : {}), message };
}

/** An acknowledgement of an input is a response too, and ends nothing. */
function endByResult(id: number, message: JsonObject): CallEnd | undefined {
  const { result } = message;
  if (isJsonObject(result) && 'acknowledged' in result) return undefined;
  return endByResponse(id, message, () => isJsonObject(result) && result['success'] === true);
}
