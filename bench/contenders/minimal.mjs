// The loop that people write by hand, host end: a line per message, a write per message, a Map of pending calls.
import { endChild, spawnChild, watchOver } from './child.mjs';
import { timeStream } from './time-stream.mjs';

/** @typedef {{ id?: number, method?: string, result?: unknown, error?: { message: string } }} Message */

export function start() {
  const child = spawnChild('minimal-child.mjs');
  /** @type {Map<number, { resolve(value: unknown): void, reject(error: Error): void }>} */
  const pending = new Map();
  let lastId = 0;
  let buffer = '';
  let onTick = () => {};

  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (/** @type {string} */ chunk) => {
    buffer += chunk;
    const lines = buffer.split('\n');
    buffer = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') receive(/** @type {Message} */ (JSON.parse(line)));
    }
  });

  /** @param {Message} message */
  function receive(message) {
    if (message.id === undefined) {
      if (message.method === 'tick') onTick();
      return;
    }
    const call = pending.get(message.id);
    if (call === undefined) return;
    pending.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  function request(method, params) {
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
    });
  }

  const pid = watchOver(child.pid);
  return {
    pid,
    call: (/** @type {unknown} */ params) => request('echo', params),
    stream: (/** @type {number} */ count) =>
      timeStream(
        count,
        (listener) => (onTick = listener),
        () => request('stream', { count }),
      ),
    close: () => endChild(pid),
  };
}
