// MCP over stdio: `initialize`, `notifications/initialized`, `tools/list`, then `tools/call`.
import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import type { Tool } from '../../definition/tool.ts';
import { methods, readTool } from '../../dialect/mcp/schema.ts';
import type { Conversation } from '../subject/conversation.ts';
import { chooseProbe } from '../subject/choose-probe.ts';
import type { Driver } from './driver.ts';
import { endByResponse, padded, request } from './responses.ts';

export const mcpDriver: Driver = {
  dialect: 'mcp',
  framing: 'lines',
  largestMessage: MiB,
  oversizeMessage: 17 * MiB,
  async greet(conversation) {
    const answer = await conversation.request(methods.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'pluglot-check', version: '1.0.0' },
    });
    if (answer['error'] !== undefined) throw conversation.unmet('It refused to initialize.');
    conversation.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { raw: answer['result'], tools: await listTools(conversation) };
  },
  probe: ({ tools }) => chooseProbe(tools),
  callMessage: (id, { tool, args }) =>
    request(id, methods.callTool, { name: tool, arguments: args, _meta: { progressToken: id } }),
  argumentsIn: 'arguments',
  endOfCall: (id, message) =>
    endByResponse(id, message, (result) => isJsonObject(result) && result['isError'] !== true),
  signOfLife: (id, _, padding) =>
    request(id, methods.ping, padding === undefined ? undefined : { _meta: padded(padding) }),
  isGoodbyeAnswered: false,
};

const PROTOCOL_VERSION = '2025-11-25';
const PAGES_MAX = 100;

async function listTools(conversation: Conversation): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { result } = await conversation.request(methods.listTools, cursor === undefined ? {} : { cursor });
    const { tools: listed, nextCursor } = isJsonObject(result) ? result : ({} as JsonObject); // nothing listed
    for (const each of isJsonArray(listed) ? listed : []) {
      const tool = readTool(each);
      if (typeof tool !== 'string') tools.push(tool);
    }
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return tools;
}
