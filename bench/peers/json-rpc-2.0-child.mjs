// json-rpc-2.0 over lines, child end.
import process from 'node:process';
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from 'json-rpc-2.0';
import { sendInBursts, tick } from '../contenders/burst.mjs';
import { readLines } from './read-lines.mjs';

const ends = new JSONRPCServerAndClient(
  new JSONRPCServer(),
  new JSONRPCClient((message) => {
    process.stdout.write(JSON.stringify(message) + '\n');
  }),
);
ends.addMethod('echo', (params) => params);
ends.addMethod('stream', ({ count }) => {
  void sendInBursts(count, () => ends.notify('tick', tick));
  return null;
});
readLines(process.stdin, (message) => void ends.receiveAndSend(message));
process.stdin.on('end', () => process.exit());
