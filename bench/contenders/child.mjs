// Starts the child end of a contender and sees to it that it ends with this process.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** @type {Set<number>} */
const living = new Set();

/**
 * A Node child with stdin and stdout as pipes.
 * @param {string} file a module in this folder
 * @param {string[]} [options]
 */
export function spawnChild(file, options = []) {
  const child = spawn(process.execPath, childArguments(file, options), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  watchOver(child.pid);
  // A write that meets a child which was just ended is no failure of the measurement.
  child.stdin.on('error', () => {});
  return child;
}

/**
 * @param {string} file
 * @param {string[]} [options]
 */
export function childArguments(file, options = []) {
  return [fileURLToPath(new URL(file, import.meta.url)), ...options];
}

/**
 * For children that a library started by itself.
 * @param {number | null | undefined} pid
 */
export function watchOver(pid) {
  if (pid === undefined || pid === null) throw new Error('The child did not start: it has no process id.');
  if (living.size === 0) process.once('exit', endChildren);
  living.add(pid);
  return pid;
}

/** @param {number} pid */
export function endChild(pid) {
  living.delete(pid);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended before.
  }
}

function endChildren() {
  for (const pid of living) endChild(pid);
}
