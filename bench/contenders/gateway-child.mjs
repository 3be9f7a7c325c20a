// The MCP server behind every gateway: no library, one tool that answers with what it is given.
import process from 'node:process';

const tools = [
  {
    name: 'echo',
    description: 'Answers with what it is given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  const answers = lines.map(answerTo).filter((answer) => answer !== undefined);
  if (answers.length > 0) process.stdout.write(answers.join(''));
});
process.stdin.on('end', () => process.exit());

/** @param {string} line */
function answerTo(line) {
  const {
    id,
    method,
    params = {},
  } = /** @type {{ id?: number, method: string, params?: { protocolVersion?: string, arguments?: { text?: string } } }} */ (
    JSON.parse(line)
  );
  if (id === undefined) return undefined;
  const result = resultOf(method, params);
  const answer =
    result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`;
}

/**
 * @param {string} method
 * @param {{ protocolVersion?: string, arguments?: { text?: string } }} params
 */
function resultOf(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: params.arguments?.text ?? '' }] };
    default:
      return undefined;
  }
}
