// vscode-jsonrpc, host end: headers and bodies over the child's stdio.
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { endChild, spawnChild, watchOver } from '../contenders/child.mjs';
import { timeStream } from '../contenders/time-stream.mjs';

export function start() {
  const child = spawnChild('../peers/vscode-jsonrpc-child.mjs');
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let onTick = () => {};
  connection.onNotification('tick', () => onTick());
  connection.onError(() => {});
  connection.listen();

  const pid = watchOver(child.pid);
  return {
    pid,
    call: (params) => connection.sendRequest('echo', params),
    stream: (count) =>
      timeStream(
        count,
        (listener) => (onTick = listener),
        () => connection.sendRequest('stream', { count }),
      ),
    close: () => endChild(pid),
  };
}
