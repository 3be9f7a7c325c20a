// gevals: `initialize`, then `execute`, one after the other. There is no ping, so the call itself is the sign of life.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { KiB } from '../../base/limits.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import { chooseProbe } from '../subject/choose-probe.ts';
import type { Driver, Probe } from './driver.ts';
import { endByResponse, request } from './responses.ts';

export const gevalsDriver: Driver = {
  dialect: 'gevals',
  framing: 'lines',
  // What a Go scanner takes, LF not counted.
  largestMessage: 64 * KiB - 1,
  oversizeMessage: 128 * KiB,
  async greet(conversation) {
    const answer = await conversation.request('initialize', { protocolVersion: '0.0.1', config: {} });
    if (answer['error'] !== undefined) throw conversation.unmet('It refused to initialize.');
    const { result } = answer;
    return { raw: result, tools: toolsOf(isJsonObject(result) ? result['operations'] : undefined) };
  },
  probe: ({ tools }) => chooseProbe(tools),
  callMessage: (id, probe) => execute(id, probe, { phase: 'setup' }),
  argumentsIn: 'args',
  endOfCall: (id, message) =>
    endByResponse(id, message, (result) => isJsonObject(result) && result['success'] === true),
  signOfLife: (id, probe, padding) =>
    execute(
      id,
      probe,
      padding === undefined
        ? { phase: 'setup' }
        : { phase: 'verify', agent: { prompt: 'Do it.', output: padding } },
    ),
  goodbye: (id) => request(id, 'shutdown', {}),
  isGoodbyeAnswered: true,
};

function execute(id: number, { tool, args, workdir = '/' }: Probe, context: JsonObject): JsonObject {
  return request(id, 'execute', { operation: tool, args, context: { workdir, ...context } });
}

function toolsOf(operations: unknown): Tool[] {
  if (!isJsonObject(operations)) return [];
  return Object.entries(operations).map(([name, operation]) => {
    const params = isJsonObject(operation) ? operation['params'] : undefined;
    return { name, ...(isSchema(params) ? { inputSchema: params } : {}) };
  });
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}
