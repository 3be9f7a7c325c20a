// A host of planners and executors that knows the specification alone: its client class word for word, types added.
// usage: planner-client.mjs SCRIPT COMMAND…   SCRIPT is JSON: [{ "method": "…", "params": { … } }, …]
// Prints what each request came to, what was streamed meanwhile, and the exit code, as JSON.
import { spawn } from 'node:child_process';
import readline from 'node:readline';

/** @typedef {{ resolve: (result: unknown) => void, reject: (error: unknown) => void }} Pending */

class JSONRPCClient {
  /** @param {{ stdin: import('node:stream').Writable }} process */
  constructor(process) {
    this.process = process;
    /** @type {Map<number, Pending>} */
    this.pendingRequests = new Map();
    this.requestId = 0;
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @returns {Promise<unknown>}
   */
  async request(method, params) {
    const id = ++this.requestId;
    const request = {
      jsonrpc: '2.0',
      method,
      params,
      id,
    };

    return new Promise((resolve, reject) => {
      this.pendingRequests.set(id, { resolve, reject });
      this.process.stdin.write(JSON.stringify(request) + '\n');
    });
  }

  /** @param {string} data */
  handleResponse(data) {
    const response = /** @type {{ id: number, error?: unknown, result?: unknown }} */ (JSON.parse(data));
    if (this.pendingRequests.has(response.id)) {
      const { resolve, reject } = /** @type {Pending} */ (this.pendingRequests.get(response.id));
      if (response.error) {
        reject(response.error);
      } else {
        resolve(response.result);
      }
      this.pendingRequests.delete(response.id);
    }
  }
}

const [script = '[]', command = '', ...args] = process.argv.slice(2);
const requests = /** @type {{ method: string, params: unknown }[]} */ (JSON.parse(script));
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const client = new JSONRPCClient(child);
/** @type {object[]} */
const streams = [];
readline.createInterface({ input: child.stdout }).on('line', (line) => {
  const { method, params } = /** @type {{ method?: string, params?: unknown }} */ (JSON.parse(line));
  if (method !== undefined) streams.push({ method, params });
  client.handleResponse(line);
});
/** @type {Promise<number | null>} */
const exited = new Promise((resolve) => child.once('exit', resolve));
const outcomes = await Promise.allSettled(
  requests.map(({ method, params }) => client.request(method, params)),
);
child.stdin.end();
console.log(JSON.stringify({ outcomes, streams, exitCode: await exited }));
