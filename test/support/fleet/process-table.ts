// The processes of this machine, read from /proc, apart from all that pluglot itself does to find them.
import fs from 'node:fs';

/** The living processes whose environment has this entry; zombies do not live. */
export function processesWith(entry: string): number[] {
  return pids()
    .filter((pid) => read(pid, 'environ').split('\0').includes(entry) && isAlive(pid))
    .map(Number);
}

/** A number that the programs of test/plugins/processes/ hand on in their arguments, so that all they start can be counted. */
export function newRun(): string {
  return String(Math.floor(1e9 + Math.random() * 9e9));
}

/** Command lines of what lives and has the number of the run in it. Zombies have no command line. */
export function survivors(run: string): string[] {
  return pids()
    .filter((pid) => Number(pid) !== process.pid)
    .map((pid) => `${pid}: ${read(pid, 'cmdline').replaceAll('\0', ' ')}`)
    .filter((line) => line.slice(line.indexOf(':')).includes(run));
}

function pids(): string[] {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Empty when the process ended meanwhile, or is a kernel thread. */
function read(pid: string, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function isAlive(pid: string): boolean {
  return /\) [^ZX] /.test(read(pid, 'stat'));
}
