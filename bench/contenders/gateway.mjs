// A gateway that serves one MCP server of stdio over Streamable HTTP: itself a process, with clients in this one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../statistics.mjs';
import { connectMcp } from './mcp-http-client.mjs';

/** @typedef {import('./mcp-http-client.mjs').McpHttpClient} McpHttpClient */
/** @typedef {{ words(port: number, folder: string): string[], headers?: Readonly<Record<string, string>> }} Gateway */

const program = fileOf('gateway-child.mjs');

/** @type {Readonly<Record<string, Gateway>>} */
const gateways = {
  pluglot: {
    words: (port, folder) => [fileOf('gateway-pluglot.mjs'), String(port), program, folder],
    headers: { authorization: 'Bearer a-token-of-the-bench-that-is-long-enough' },
  },
  'mcp-proxy': {
    words: (port) => [
      fileOf('../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs'),
      ...words(`--host 127.0.0.1 --port ${port} --server stream --`),
      process.execPath,
      program,
    ],
  },
  // Without sessions it would start a process for every request.
  supergateway: {
    words: (port) => [
      fileOf('../node_modules/supergateway/dist/index.js'),
      ...words(`--outputTransport streamableHttp --stateful --port ${port} --logLevel none --stdio`),
      `"${process.execPath}" "${program}"`,
    ],
  },
};

const WINDOW_MS = 400;
const STARTS_WITHIN_MS = 30_000;

/** @type {McpHttpClient[]} */
let clients = [];
/** @type {(() => Promise<McpHttpClient>) | undefined} */
let connect;
/** @type {number[]} milliseconds of the calls of the last window */
let taken = [];

/** @param {string} name */
export async function start(name) {
  const gateway = gateways[name];
  if (gateway === undefined) throw new Error(`No gateway "${name}".`);
  const port = await freePort();
  // What it keeps; it is ended without a chance to tidy up.
  const folder = mkdtempSync(path.join(tmpdir(), 'pluglot-bench-'));
  const child = spawn(process.execPath, gateway.words(port, folder), {
    // The same for everyone: what stands in the environment can double the time that Node needs to start.
    env: { PATH: process.env['PATH'] },
    // What it prints is thrown away. A group of its own, so that its children end with it.
    stdio: 'ignore',
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} did not start.`);
  process.once('exit', () => {
    process.kill(-pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  connect = () => connectMcp(url, gateway.headers);
  const first = await firstClient(connect, () => child.exitCode);
  clients = [first];
  return {
    pid,
    call: async (/** @type {unknown} */ params) => first.call(JSON.stringify(params)),
    stream: undefined,
    close: () => first.close(),
  };
}

/**
 * `calls-N`: calls a second of so many clients, each with one under way. `p50`, `p99`: milliseconds of the window before.
 * @param {string} name
 */
export async function figure(name) {
  if (name === 'p50') return quantile(taken);
  if (name === 'p99') return quantile(taken, 0.99);
  const count = Number(name.slice('calls-'.length));
  while (clients.length < count && connect !== undefined) clients.push(await connect());
  taken = [];
  const begin = performance.now();
  await Promise.all(
    clients.slice(0, count).map((client, index) => callUntil(client, begin + WINDOW_MS, index)),
  );
  return (taken.length * 1000) / (performance.now() - begin);
}

/**
 * @param {McpHttpClient} client
 * @param {number} until
 * @param {number} index
 */
async function callUntil(client, until, index) {
  const text = `client ${index} asks for the status of build 4711`;
  for (let now = performance.now(); now < until;) {
    const answer = await client.call(text);
    if (answer !== text) throw new Error(`A wrong echo: ${answer.slice(0, 200)}`);
    const end = performance.now();
    taken.push(end - now);
    now = end;
  }
}

/**
 * @param {() => Promise<McpHttpClient>} connectOne
 * @param {() => number | null} exitCode
 */
async function firstClient(connectOne, exitCode) {
  for (const begin = performance.now(); ;) {
    try {
      return await connectOne();
    } catch (error) {
      if (exitCode() !== null) throw new Error(`It ended with ${exitCode()}.`, { cause: error });
      if (performance.now() - begin > STARTS_WITHIN_MS) throw error;
      await sleep(50);
    }
  }
}

/** They want to be told one. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** @param {string} line */
function words(line) {
  return line.split(' ');
}

/** @param {string} file */
function fileOf(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}
