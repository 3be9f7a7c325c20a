// vscode-jsonrpc, child end.
import process from 'node:process';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { sendInBursts, tick } from '../contenders/burst.mjs';

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest('echo', (params) => params);
connection.onRequest('stream', ({ count }) => {
  void sendInBursts(count, () => connection.sendNotification('tick', tick));
  return null;
});
connection.onClose(() => process.exit());
connection.listen();
