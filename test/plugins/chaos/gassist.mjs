import { act, deeds } from './deeds.mjs';

let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const end = 4 + rest.readUInt32BE(0);
    void take(JSON.parse(rest.toString('utf8', 4, end)));
    rest = rest.subarray(end);
  }
});
process.stdin.on('end', () => process.exit(0));

/** @param {object} message */
function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([header, body]));
}

/** @param {{ id: number, method: string, params: any }} message */
async function take({ id, method, params }) {
  if (method === 'initialize') {
    const commands = deeds.map((name) => ({ name, description: `to ${name}` }));
    send({ id, result: { name: 'chaos', version: '1.0.0', protocol_version: '2.0', commands } });
  } else if (method === 'ping') send({ id, result: { timestamp: params.timestamp } });
  else if (method === 'shutdown') process.exit(0);
  else if (method === 'execute') {
    send({ method: 'stream', params: { request_id: id, data: '' } });
    const data = await act(params.function, params.arguments ?? {});
    send({ method: 'complete', params: { request_id: id, success: true, data, keep_session: false } });
  }
}
