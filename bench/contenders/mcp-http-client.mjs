// A client of Streamable HTTP that costs next to nothing, so that what is measured is the gateway: one session, one connection, one
// request at a time. An answer is read as JSON or as the events of a stream, whichever comes.
import http from 'node:http';

/** @typedef {{ call(text: string): Promise<string>, close(): Promise<void> }} McpHttpClient */
/** @typedef {{ status: number, sessionId: string | undefined, body: string }} Answer */

/**
 * @param {URL} url
 * @param {Readonly<Record<string, string>>} ownHeaders
 * @returns {Promise<McpHttpClient>}
 */
export async function connectMcp(url, ownHeaders = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const protocolVersion = '2025-06-18';
  /** @type {Record<string, string>} */
  const headers = {
    ...ownHeaders,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const hello = await send(url, agent, headers, {
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo },
  });
  resultIn(hello);
  if (hello.sessionId !== undefined) headers['mcp-session-id'] = hello.sessionId;
  headers['mcp-protocol-version'] = protocolVersion;
  await send(url, agent, headers, { method: 'notifications/initialized' });
  let id = 0;
  return {
    async call(text) {
      id += 1;
      const params = { name: 'echo', arguments: { text } };
      const result = resultIn(await send(url, agent, headers, { id, method: 'tools/call', params }));
      return result.content?.[0]?.text ?? '';
    },
    async close() {
      await send(url, agent, headers, undefined, 'DELETE');
      agent.destroy();
    },
  };
}

/**
 * @param {URL} url
 * @param {http.Agent} agent
 * @param {Readonly<Record<string, string>>} headers
 * @param {object | undefined} message
 * @param {string} [method]
 * @returns {Promise<Answer>}
 */
function send(url, agent, headers, message, method = 'POST') {
  const body = message === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', ...message });
  return new Promise((resolve, reject) => {
    const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    const request = http.request(url, { agent, method, headers: sized }, (response) => {
      const sessionId = response.headers['mcp-session-id'];
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          sessionId: typeof sessionId === 'string' ? sessionId : undefined,
          body: text,
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** @param {Answer} answer */
function resultIn({ status, body }) {
  if (status !== 200) throw new Error(`The gateway answered ${status}: ${body.slice(0, 200)}`);
  const data = body.startsWith('{') ? body : lastData(body);
  const { result } = /** @type {{ result?: { content?: { text?: string }[] } }} */ (JSON.parse(data));
  if (result === undefined) throw new Error(`A call failed: ${data.slice(0, 500)}`);
  return result;
}

/**
 * The answer is the last event; what stands before it are notifications.
 * @param {string} events
 */
function lastData(events) {
  const at = events.lastIndexOf('data: ');
  return at === -1 ? '' : events.slice(at + 6, events.indexOf('\n', at));
}
