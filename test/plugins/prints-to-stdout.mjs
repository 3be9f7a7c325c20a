// Prints to stdout in every way a careless author finds, before and while it serves.
import { lengthPrefix, lines } from 'pluglot/channel';
import { openStdio } from 'pluglot/sdk';

const { log } = console;
console.log('before');
const peer = await openStdio({ framing: process.argv[2] === 'length-prefix' ? lengthPrefix() : lines() });

peer.handle('print', () => {
  console.log('from console.log');
  console.info('from console.info %d', 1);
  console.table([{ from: 'console.table' }]);
  log('from a console.log that was kept');
  process.stdout.write('from process.stdout\n');
  return 'printed';
});

void peer.closed.then(() => console.error('closed'));
