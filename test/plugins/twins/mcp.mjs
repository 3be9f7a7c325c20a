// An MCP server and its twins.
import { broken, notify, Refusal, refuseUnknown, serve } from './core.mjs';

const versions = ['2025-11-25', '2025-06-18'];

/** @type {Record<string, unknown>} */
const repeat = {
  name: 'repeat',
  description: 'Repeats a text',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  outputSchema: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
};
const rest = {
  name: broken('mcp:tools:names') ? 'repeat' : 'rest',
  description: 'Does nothing',
  inputSchema: broken('mcp:server:tools-list') ? { properties: {} } : { type: 'object' },
};

/** Whether a client wants to hear of what is no emergency. */
let isChatty = true;
/** @type {Set<unknown>} */
const cancelled = new Set();

/** @param {unknown} offered */
function spoken(offered) {
  if (broken('mcp:server:version-other')) return offered;
  if (broken('mcp:server:version-spoken')) return versions.find((version) => version !== offered);
  return versions.find((version) => version === offered) ?? versions[0];
}

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['tools/call'],
  notifications: {
    'notifications/initialized': () => {},
    'notifications/cancelled': ({ requestId }) => {
      if (broken('fault:cancel')) process.exit(1);
      cancelled.add(requestId);
    },
  },
  methods: {
    initialize({ protocolVersion }) {
      if (broken('mcp:server:quiet-until-ready')) notify('notifications/tools/list_changed');
      return {
        protocolVersion: spoken(protocolVersion),
        capabilities: {
          ...(broken('mcp:server:capabilities') ? {} : { tools: {} }),
          logging: {},
          prompts: {},
          completions: {},
        },
        serverInfo: broken('mcp:server:hello-fields') ? { name: 'twin' } : { name: 'twin', version: '1.0.0' },
        instructions: 'Say something.',
      };
    },
    ping: () => (broken('mcp:server:ping') ? 'pong' : {}),
    'logging/setLevel': ({ level }) => {
      isChatty = level !== 'emergency';
      return {};
    },
    'tools/list'({ cursor }) {
      if (cursor !== undefined && !broken('mcp:server:cursor-invalid'))
        throw new Refusal(-32602, 'There is no such cursor');
      return { tools: [repeat, rest] };
    },
    async 'tools/call'(params, id) {
      const { name, _meta } = params;
      const args = params['arguments'];
      if (typeof name !== 'string') {
        if (broken('mcp:server:malformed')) throw new Refusal(-32603, 'no name');
        throw new Refusal(-32602, 'name is required');
      }
      if (name === 'rest') return { content: [] };
      if (name !== 'repeat') {
        if (broken('mcp:server:unknown-tool')) return failure(`Unknown tool: ${name}`);
        return refuseUnknown(id, new Refusal(-32602, `Unknown tool: ${name}`));
      }
      const text = args && typeof args === 'object' && 'text' in args ? args.text : undefined;
      if (typeof text !== 'string' && !broken('mcp:server:invalid-arguments'))
        return failure('text is missing');
      progress(_meta);
      if (isChatty || broken('mcp:server:log-level'))
        notify('notifications/message', {
          level: broken('mcp:server:log-fields') ? 'warn' : 'info',
          data: 'repeating',
        });
      if (cancelled.has(id) && !broken('mcp:server:cancelled')) return undefined;
      return {
        content: broken('mcp:server:call-result') ? 'hello' : [{ type: 'text', text: JSON.stringify(args) }],
        structuredContent: broken('mcp:server:structured-content') ? {} : { length: String(text).length },
      };
    },
    'prompts/list': () => ({
      prompts: [
        {
          name: 'ask',
          arguments: [broken('mcp:server:prompts') ? 'topic' : { name: 'topic', required: true }],
        },
        { name: 'greet', arguments: [{ name: 'whom' }] },
      ],
    }),
    'prompts/get'({ name }) {
      if (name !== 'ask' && name !== 'greet')
        throw new Refusal(broken('mcp:server:prompts-invalid') ? -32603 : -32602, 'Unknown prompt');
      return { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] };
    },
    'completion/complete': () => ({
      completion: {
        values: Array.from({ length: broken('mcp:server:completion') ? 101 : 3 }, (_, n) => `${n}`),
      },
    }),
  },
});

/** @param {string} text */
function failure(text) {
  return { content: [{ type: 'text', text }], isError: true };
}

/** @param {unknown} meta */
function progress(meta) {
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return;
  const { progressToken } = meta;
  notify('notifications/progress', { progressToken, progress: 1, total: 2 });
  notify('notifications/progress', {
    progressToken,
    progress: broken('mcp:server:progress') ? 1 : 2,
    total: 2,
  });
}
