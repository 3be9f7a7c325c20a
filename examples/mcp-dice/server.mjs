#!/usr/bin/env node
// An MCP server that rolls dice, on Node alone: one JSON-RPC message per line comes on stdin, one per line goes to stdout.
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';

const roll = {
  name: 'roll',
  title: 'Roll dice',
  description: 'Rolls dice, such as "2d6" or "d20+3", and tells each die and the sum.',
  inputSchema: {
    type: 'object',
    properties: { dice: { type: 'string', description: 'How many, how many sides, what to add: 2d6+1' } },
    required: ['dice'],
  },
  outputSchema: {
    type: 'object',
    properties: { rolls: { type: 'array', items: { type: 'integer' } }, total: { type: 'integer' } },
    required: ['rolls', 'total'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Those of the protocol that are spoken here, the latest first. */
const versions = ['2025-11-25', '2025-06-18'];

/** What each request is answered with. */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: versions.find((version) => version === protocolVersion) ?? versions[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'dice', version: '1.0.0' },
    instructions: 'Roll only when the user asks for chance.',
  }),
  ping: () => ({}),
  'tools/list': ({ cursor }) => {
    if (cursor !== undefined) throw Object.assign(new Error('There is one page only'), { code: -32602 });
    return { tools: [roll] };
  },
  'tools/call': ({ name, arguments: { dice } = {} }) => {
    if (name !== roll.name) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    const [, count = 1, sides, plus = 0] = /^\s*(\d{1,3})?d(\d{1,6})\s*([+-]\d{1,6})?\s*$/i.exec(dice) ?? [];
    if (!(Number(count) > 0 && Number(sides) > 0)) return failure(`"${dice}" is no dice; try "2d6+1".`);
    const rolls = Array.from({ length: Number(count) }, () => randomInt(1, Number(sides) + 1));
    const total = rolls.reduce((sum, one) => sum + one, Number(plus));
    const added = Number(plus) === 0 ? '' : ` ${plus[0]} ${plus.slice(1)}`;
    return {
      content: [text(`${rolls.join(' + ')}${added} → ${total}`)],
      structuredContent: { rolls, total },
    };
  },
};

// The server ends when its stdin does: then nothing is left to wait for.
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() === '') return;
  const message = parsed(line);
  if (!Object.hasOwn(Object(message), 'method')) return send({ jsonrpc: '2.0', id: null, error: unreadable });
  const { id, method, params = {} } = message;
  if (id === undefined) return; // a notification wants no answer
  try {
    if (!Object.hasOwn(answers, method)) throw Object.assign(new Error('Method not found'), { code: -32601 });
    send({ jsonrpc: '2.0', id, result: answers[method](params) });
  } catch ({ code = -32603, message }) {
    send({ jsonrpc: '2.0', id, error: { code, message } });
  }
});

const unreadable = { code: -32700, message: 'This is no JSON-RPC' };

/** Undefined when it is no JSON. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function send(message) {
  console.log(JSON.stringify(message));
}

function text(text) {
  return { type: 'text', text };
}

function failure(message) {
  return { content: [text(message)], isError: true };
}
