#!/usr/bin/env node
// A plugin for G-Assist V2 on plain Node: `countdown` streams, `launch` opens a session that lasts until the user says "bye".
import { setTimeout as pause } from 'node:timers/promises';

const functions = {
  async countdown({ from }, stream) {
    for (let left = from; left > 0; left -= 1) {
      stream(`${left}… `);
      await pause(200);
    }
    return { data: 'Liftoff!' };
  },

  async launch() {
    return { data: 'Launch control here. Count from which number?', keep_session: true };
  },
};

/** What the user says during a session. */
async function onInput(words, stream) {
  if (words === 'bye') return { data: 'Launch control out.', keep_session: false };
  const from = Number.parseInt(words, 10);
  if (!(from >= 1 && from <= 20)) return { data: 'A number from 1 to 20, or bye.', keep_session: true };
  return { ...(await functions.countdown({ from }, stream)), keep_session: true };
}

const introduction = {
  name: 'gassist-countdown',
  version: '1.0.0',
  protocol_version: '2.0',
  capabilities: ['streaming', 'passthrough'],
  commands: [
    { name: 'countdown', description: 'Counts down to liftoff, number by number.' },
    { name: 'launch', description: 'Opens a session with launch control.' },
  ],
};

async function receive(message) {
  const { id, method } = message;
  const params = message.params ?? {};
  const stream = (data) => notify('stream', { request_id: id, data });
  const complete = (answer) => notify('complete', { request_id: id, success: true, ...answer });
  const fail = (code, message) => notify('error', { request_id: id, code, message });
  switch (method) {
    case 'initialize': {
      const { protocol_version: version = '2.0' } = params;
      if (String(version).startsWith('2.')) return send({ id, result: introduction });
      return send({
        id,
        error: { code: -32602, message: `This plugin speaks version 2.0, not ${version}.` },
      });
    }
    case 'ping':
      return send({ id, result: params });
    case 'execute': {
      if (typeof params.function !== 'string') return fail(-32602, 'Which function?');
      const run = functions[params.function];
      if (run === undefined) return fail(-32601, 'There is no such function.');
      return run(params.arguments ?? {}, stream).then(complete, (error) => fail(-1, error.message));
    }
    case 'input':
      send({ id, result: { acknowledged: true } });
      return complete(await onInput(params.content, stream));
    case undefined:
      return send({ id: null, error: { code: -32600, message: 'This is no request.' } });
    case 'shutdown':
      // A notification; the emulator sends it with an id and waits for an answer.
      if (id !== undefined) send({ id, result: {} });
      return process.stdout.write('', () => process.exit(0));
    default:
      // What has no id wants no answer.
      if (id !== undefined) send({ id, error: { code: -32601, message: 'There is no such method.' } });
  }
}

/** What was said; nothing but an object is a message. Undefined, and answered, when it is no JSON. */
function parsed(body) {
  try {
    const message = JSON.parse(body);
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    send({ id: null, error: { code: -32700, message: 'This is no JSON.' } });
    return undefined;
  }
}

function notify(method, params) {
  send({ method, params });
}

/** Each message is four bytes of length, big-endian, and then JSON. */
function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([length, body]));
}

let bytes = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  bytes = Buffer.concat([bytes, chunk]);
  while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) {
    const end = 4 + bytes.readUInt32BE();
    // Not awaited: pings are answered while it counts.
    const message = parsed(bytes.subarray(4, end));
    if (message !== undefined) void receive(message);
    bytes = bytes.subarray(end);
  }
}
