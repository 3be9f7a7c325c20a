// Introduces itself, then closes its stdin and lives on.
import fs from 'node:fs';
import process from 'node:process';
import { answer } from '../../support/channel/plain-wire.mjs';

const byte = Buffer.alloc(1);

/**
 * One message, byte by byte, so that nothing behind it is read. A pipe may have nothing to give yet.
 * @returns {{ id: unknown }}
 */
function next() {
  let line = '';
  for (;;) {
    try {
      if (fs.readSync(0, byte) === 0) process.exit(0);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      continue;
    }
    if (byte[0] === 0x0a) return /** @type {{ id: unknown }} */ (JSON.parse(line));
    line += byte.toString('latin1');
  }
}

answer(next().id, { name: 'closes_its_stdin', version: '1.0.0', interfaces: [] });
answer(next().id, { status: 'initialized' });
fs.closeSync(0);
process.stderr.write('I read no more.\n');
setInterval(() => {}, 1000);
