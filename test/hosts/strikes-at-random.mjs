// Sends random signals to random processes of those that have an entry in their environment, until its input ends: apart from the host
// under test, which looking through all of /proc would block. Prints a line for each.
// usage: strikes-at-random.mjs NAME=VALUE SEED
import fs from 'node:fs';

const [mark = '', seed = '1'] = process.argv.slice(2);
const signals = /** @type {const} */ (['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGSTOP', 'SIGCONT', 'SIGINT']);
let state = Number(seed) >>> 0;
process.stdin.on('end', () => process.exit(0)).resume();
strikeLater();

/** mulberry32, as in test/fuzz/random.ts. @param {number} limit */
function below(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

function strikeLater() {
  setTimeout(() => {
    strike();
    strikeLater();
  }, below(100));
}

function strike() {
  const marked = fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isMarked(pid));
  const pid = marked[below(marked.length || 1)];
  if (pid === undefined) return;
  try {
    process.kill(Number(pid), signals[below(signals.length)]);
    process.stdout.write('struck\n');
  } catch {
    // It ended meanwhile.
  }
}

/** @param {string} pid */
function isMarked(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    return false;
  }
}
