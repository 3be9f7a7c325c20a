// json-rpc-2.0 brings no transport, so it gets the usual one: a line per message. Host end.
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from 'json-rpc-2.0';
import { endChild, spawnChild, watchOver } from '../contenders/child.mjs';
import { timeStream } from '../contenders/time-stream.mjs';
import { readLines } from './read-lines.mjs';

export function start() {
  const child = spawnChild('../peers/json-rpc-2.0-child.mjs');
  const ends = new JSONRPCServerAndClient(
    new JSONRPCServer(),
    new JSONRPCClient((message) => {
      child.stdin.write(JSON.stringify(message) + '\n');
    }),
  );
  let onTick = () => {};
  ends.addMethod('tick', () => onTick());
  readLines(child.stdout, (message) => void ends.receiveAndSend(message));

  const pid = watchOver(child.pid);
  return {
    pid,
    call: (params) => ends.request('echo', params),
    stream: (count) =>
      timeStream(
        count,
        (listener) => (onTick = listener),
        async () => ends.request('stream', { count }),
      ),
    close: () => endChild(pid),
  };
}
