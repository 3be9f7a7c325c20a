// YAMS: `handshake.manifest`, `plugin.init`, then any method. A plugin without tools is asked to extract a short text.
import { isJsonArray, isJsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import type { Tool } from '../../definition/tool.ts';
import { methods } from '../../dialect/yams/schema.ts';
import { chooseProbe } from '../subject/choose-probe.ts';
import type { Driver } from './driver.ts';
import { endByResponse, padded, request } from './responses.ts';
import { capabilityOf, extractParams, isExtractor } from './yams-extraction.ts';

export const yamsDriver: Driver = {
  dialect: 'yams',
  framing: 'lines',
  largestMessage: MiB,
  oversizeMessage: 17 * MiB,
  async greet(conversation) {
    const { result } = await conversation.request(methods.manifest);
    const init = await conversation.request(methods.init, { config: {} });
    if ((init['error'] ?? null) !== null) throw conversation.unmet('It refused plugin.init.');
    return { raw: result, tools: toolsOf(result) };
  },
  probe: ({ raw, tools }) =>
    chooseProbe(tools) ??
    (isExtractor(raw) ? { tool: methods.extract, args: extractParams(raw) } : undefined) ?? {
      tool: methods.health,
      args: {},
    },
  callMessage: (id, { tool, args }) => request(id, tool, args),
  endOfCall: (id, message) =>
    endByResponse(
      id,
      message,
      (result) =>
        !(isJsonObject(result) && (result['success'] === false || (result['error'] ?? null) !== null)),
    ),
  signOfLife: (id, _, padding) => request(id, methods.health, padded(padding)),
  goodbye: (id) => request(id, methods.shutdown),
  isGoodbyeAnswered: true,
};

function toolsOf(manifest: unknown): Tool[] {
  const listed = capabilityOf(manifest, 'tools');
  if (!isJsonArray(listed)) return [];
  return listed.filter(isJsonObject).flatMap(({ name, input_schema: schema }) => {
    if (typeof name !== 'string') return [];
    return [{ name, ...(isJsonObject(schema) ? { inputSchema: schema } : {}) }];
  });
}
