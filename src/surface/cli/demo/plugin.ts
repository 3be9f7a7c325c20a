// The program that the demonstration starts twice: a plugin of a few lines on the SDK.
import { writeSync } from 'node:fs';
import { lengthPrefix } from '../../../channel/frame/length-prefix.ts';
import { lines } from '../../../channel/frame/lines.ts';
import { openStdio } from '../../../sdk/index.ts';
import { cancelWords } from './cancel-words.ts';

const framing = process.argv[2] === 'length-prefix' ? lengthPrefix() : lines();
const host = await openStdio({ framing, cancel: cancelWords });

host.handle('add', (params) => {
  const { a, b } = params as { a: number; b: number }; // Our own host sends nothing else.
  return a + b;
});

host.handle('echo', (params) => params);

host.handle('count', async (params) => {
  const { to } = params as { to: number }; // As above.
  for (let n = 1; n <= to; n += 1) if (!host.notify('counted', { n })) await host.drained();
  return to;
});

host.handle('work', (_params, { signal }) => {
  const { promise, reject } = hanging();
  signal.addEventListener('abort', () => {
    host.notify('stopped');
    reject(signal.reason as Error); // The peer aborts with an Error.
  });
  return promise;
});

host.handle('print', () => {
  console.log('This line was printed with console.log.');
  // Past the guard of the SDK, as a native module would do it: straight onto the wire.
  writeSync(1, 'Warning: this is not a message.\n');
  return 'printed';
});

function hanging(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}
