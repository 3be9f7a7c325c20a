// One host process per contender, so that no library's garbage or compiled code weighs on another. The bench tells
// it over IPC which window to run; it answers with the figures.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadContender } from './contenders/index.mjs';
import { callsAlone, callsInFlight, notifications, payloadEcho } from './windows.mjs';

/** @typedef {import('./contenders/index.mjs').Connection} Connection */
/**
 * @typedef {{ kind: 'open', connections: number }
 *   | { kind: 'alone', milliseconds: number }
 *   | { kind: 'in-flight', inFlight: number, milliseconds: number }
 *   | { kind: 'payload', bytes: number, inFlight: number, milliseconds: number }
 *   | { kind: 'notifications', count: number }
 *   | { kind: 'start-up', count: number }
 *   | { kind: 'figure', name: string }
 *   | { kind: 'memory' }} Command
 */

// What Node itself and this file need, before the contender is loaded.
const floor = residentKibibytes();
const [, , contender = '', ...alsoLoad] = process.argv;
for (const id of alsoLoad) await loadContender(id);
const { start, startMany, figure } = await loadContender(contender);
/** @type {Connection[]} */
const connections = [];

process.on('message', (/** @type {Command} */ command) => {
  obey(command).then(
    (value) => process.send?.({ value }),
    (/** @type {unknown} */ error) =>
      process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
// Leaving by exit() ends the children too, however the bench itself ended.
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.send?.({ value: 'ready' });

/**
 * @param {Command} command
 * @returns {Promise<unknown>}
 */
async function obey(command) {
  switch (command.kind) {
    case 'open':
      return open(command.connections);
    case 'alone':
      return callsAlone(firstConnection(), command.milliseconds);
    case 'in-flight':
      return callsInFlight(connections, command.inFlight, command.milliseconds);
    case 'payload':
      return payloadEcho(firstConnection(), command.bytes, command.inFlight, command.milliseconds);
    case 'notifications':
      return notifications(firstConnection(), command.count);
    case 'start-up':
      if (startMany === undefined) throw new Error('It cannot start many.');
      return startMany(command.count);
    case 'figure':
      if (figure === undefined) throw new Error('It has no figures of its own.');
      return figure(command.name);
    case 'memory':
      return memory();
  }
}

/** @param {number} count */
async function open(count) {
  // A few at a time: a start is work for the processor, and a hundred at once only wait for each other.
  for (let opened = 0; opened < count; opened += 4) {
    await Promise.all(Array.from({ length: Math.min(4, count - opened) }, openOne));
  }
}

async function openOne() {
  const connection = await start();
  connections.push(connection);
  await connection.call({ hello: 'child' });
}

function firstConnection() {
  const [connection] = connections;
  if (connection === undefined) throw new Error('No connection is open.');
  return connection;
}

/** Kibibytes after full collections; the host runs with --expose-gc for this. */
async function memory() {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.();
    await sleep(50);
  }
  return { heap: process.memoryUsage().heapUsed / 1024, resident: residentKibibytes(), floor };
}

function residentKibibytes() {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024;
}
