// Node's own channel between parent and child, with its JSON serialization, host end.
import { fork } from 'node:child_process';
import { childArguments, endChild, watchOver } from './child.mjs';
import { timeStream } from './time-stream.mjs';

/** @typedef {{ id?: number, result?: unknown }} Message */

export function start() {
  const [file = ''] = childArguments('ipc-child.mjs');
  const child = fork(file, {
    serialization: 'json',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {Map<number, (value: unknown) => void>} */
  const pending = new Map();
  let lastId = 0;
  let onTick = () => {};

  child.on('message', (/** @type {Message} */ message) => {
    if (message.id === undefined) return onTick();
    const resolve = pending.get(message.id);
    pending.delete(message.id);
    resolve?.(message.result);
  });

  /**
   * @param {string} method
   * @param {unknown} params
   */
  function request(method, params) {
    return new Promise((resolve) => {
      const id = ++lastId;
      pending.set(id, resolve);
      child.send({ jsonrpc: '2.0', id, method, params });
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
