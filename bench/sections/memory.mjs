// What an idle connection costs the host. Resident memory comes in steps of megabytes that belong to Node, to the
// library, to the compiler; so it is compared at the same point: all above plain Node, shared out.
import { leaveSeats, takeSeats } from '../seats.mjs';
import { slope } from '../statistics.mjs';

/**
 * Kibibytes; the floor is the host before the library was loaded.
 * @typedef {{ heap: number, resident: number, floor: number }} Memory
 */

// Connections after which a library is compiled, and one more costs the heap what one more costs.
const warmUpConnections = 8;
// The heap is known to a page of 256 KiB only; a line through many points is finer than two of them.
const step = 6;

// V8 would widen its nursery by megabytes at some moment or not; a fixed one leaves what connections take.
const nodeOptions = ['--expose-gc', '--min-semi-space-size=1', '--max-semi-space-size=1'];

/** @param {import('../measure.mjs').Run} run */
export async function measureMemory({ contenders, plan: { idleConnections, rounds }, samples, progress }) {
  const us = contenders.find(({ kind }) => kind === 'us')?.id;
  for (let round = 0; round < rounds.memory; round++) {
    // One look is enough at those whom no promise mentions.
    const seen = contenders.filter(({ kind }) => round === 0 || kind !== 'json');
    for (const [index, contender] of seen.entries()) {
      progress('memory', (round + index / seen.length) / rounds.memory);
      // Bare pipes are measured in a host that has loaded what ours has, so that only the connections differ.
      const alsoLoad = contender.kind === 'limit' ? us : undefined;
      const seats = await takeSeats([contender], 0, { nodeOptions, alsoLoad });
      for (const { host } of seats) {
        const { library, heap, resident } = await connectInSteps(host, idleConnections);
        if (alsoLoad === undefined) samples.add('library', contender.id, round, library);
        samples.add('heap', contender.id, round, heap);
        samples.add('resident', contender.id, round, resident);
      }
      leaveSeats(seats);
    }
  }
}

/**
 * @param {import('../host-process.mjs').HostProcess} host
 * @param {number} connections
 */
async function connectInSteps(host, connections) {
  const memory = async () => /** @type {Memory} */ (await host.ask({ kind: 'memory' }));
  const loaded = await memory();
  await host.ask({ kind: 'open', connections: warmUpConnections });
  let last = await memory();
  const heaps = [last.heap];
  for (let opened = warmUpConnections; opened < connections; opened += step) {
    await host.ask({ kind: 'open', connections: step });
    last = await memory();
    heaps.push(last.heap);
  }
  return {
    library: loaded.resident - loaded.floor,
    heap: slope(heaps) / step,
    resident: (last.resident - last.floor) / connections,
  };
}
