// Where the run stands, on stderr: one line that moves on a terminal, one line per part elsewhere.
import process from 'node:process';

/** @returns {{ show: (text: string, part?: number) => void, clear: () => void }} */
export function createProgress() {
  const terminal = process.stderr.isTTY;
  let last = '';
  return {
    show(text, part) {
      if (terminal) {
        const bar = part === undefined ? '' : ` ${'█'.repeat(Math.round(part * 20)).padEnd(20, '░')}`;
        process.stderr.write(`\r\u001B[K${bar} ${text}`.slice(0, 100));
      } else if (text !== last) {
        process.stderr.write(`… ${text}\n`);
      }
      last = text;
    },
    clear() {
      if (terminal) process.stderr.write('\r\u001B[K');
    },
  };
}
