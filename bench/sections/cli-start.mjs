// What commands take from start to exit, beside a Node that does nothing: help, a call with a plugin of its own, and one that a running
// `pluglot up` makes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/surface/cli/main.js', import.meta.url));
const dice = fileURLToPath(new URL('../../examples/mcp-dice/server.mjs', import.meta.url));

const commands = {
  'cli-help': [program, '--help'],
  'cli-call': [program, 'call', 'roll', 'dice=2d6', '--', process.execPath, dice],
  'cli-attached': [program, 'call', 'roll', 'dice=2d6'],
};

/** @param {import('../measure.mjs').Run} run */
export async function measureCliStart({ plan: { rounds }, samples, progress }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pluglot-bench-'));
  const env = { PATH: process.env['PATH'], HOME: folder, PLUGLOT_HOME: path.join(folder, 'pluglot') };
  const options = { cwd: folder, env };
  const plugin = { command: process.execPath, args: [dice] };
  await writeFile(path.join(folder, 'pluglot.json'), JSON.stringify({ plugins: { dice: plugin } }));
  await timeOf([program, 'trust', 'add', folder], options);
  const up = await startUp(options);
  try {
    // Read once, the files of all are cached.
    for (const args of [['-e', '0'], ...Object.values(commands)]) await timeOf(args, options);
    for (let round = 0; round < rounds.cli; round++) {
      progress('commands', round / rounds.cli);
      for (const [metric, args] of Object.entries(commands)) {
        samples.add(metric, 'bare-node', round, await timeOf(['-e', '0'], options));
        samples.add(metric, 'cli', round, await timeOf(args, options));
      }
    }
  } finally {
    up.kill('SIGINT');
    await once(up, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Milliseconds from start to exit.
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
async function timeOf(args, options) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { ...options, stdio: 'ignore' });
  const [exitCode] = /** @type {[number | null]} */ (await once(child, 'exit'));
  if (exitCode !== 0) throw new Error(`node ${args.join(' ')} exited with code ${exitCode}.`);
  return performance.now() - startedAt;
}

/**
 * Resolves when its plugin is ready.
 * @param {import('node:child_process').SpawnOptions} options
 */
async function startUp(options) {
  const args = [program, 'up', '--port', '0', '--no-console', '--json'];
  const up = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  if (up.stdout === null) throw new Error('pluglot up has no output.');
  for await (const line of createInterface({ input: up.stdout })) {
    const { state } = /** @type {{ state?: string }} */ (JSON.parse(line));
    if (state === 'ready') return up;
  }
  throw new Error('pluglot up ended before its plugin was ready.');
}
