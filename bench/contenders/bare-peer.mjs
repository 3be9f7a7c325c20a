// The plugin of the fleet without the fleet: a bare peer calls it, and bare processes are started by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { childPipe, framedLink, lines, Peer } from '../../dist/channel/index.js';
import { childArguments, endChild, spawnChild, watchOver } from './child.mjs';

export function start() {
  const child = spawnChild('fleet-child.mjs');
  // The fleet has a time limit for every call; so has this.
  const peer = new Peer(framedLink(childPipe(child), lines()), { timeoutMs: 30_000 });
  const pid = watchOver(child.pid);
  return {
    pid,
    call: (/** @type {unknown} */ params) => peer.request('echo', params),
    stream: undefined,
    close: () => endChild(pid),
  };
}

/**
 * Milliseconds until so many have answered a first line.
 * @param {number} count
 */
export async function startMany(count) {
  const begin = performance.now();
  const children = Array.from({ length: count }, startOne);
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  const taken = performance.now() - begin;
  await Promise.all(
    children.map((child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      return ended;
    }),
  );
  return taken;
}

function startOne() {
  const child = spawn(process.execPath, childArguments('fleet-child.mjs'), {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Leaders of their own sessions, as plugins are: Linux shares out its processors among sessions.
    detached: true,
  });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"handshake.manifest"}\n');
  return child;
}
