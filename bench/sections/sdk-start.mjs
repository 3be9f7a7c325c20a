// What a plugin pays for the SDK before it does anything: the life of a process that only imports it, beside one that imports nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startContenders } from '../contenders/index.mjs';

/** @param {import('../measure.mjs').Run} run */
export async function measureSdkStart({ plan: { rounds }, samples, progress }) {
  // Read once, their files are where the system finds them at once.
  for (const contender of startContenders) await lifeOf(contender.host);
  for (let round = 0; round < rounds.sdk; round++) {
    progress('processes that import the SDK', round / rounds.sdk);
    const [first, second] = round % 2 === 0 ? startContenders : startContenders.toReversed();
    for (const contender of [first, second])
      if (contender) samples.add('sdk-start', contender.id, round, await lifeOf(contender.host));
  }
}

/** Certificates, for one, can double the time that bare Node needs: beside that the SDK would look light. */
const env = { PATH: process.env['PATH'] };

/**
 * Milliseconds from start to exit.
 * @param {string} program
 */
async function lifeOf(program) {
  const file = fileURLToPath(new URL(`../contenders/${program}`, import.meta.url));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file], { stdio: 'ignore', env });
  const [exitCode] = /** @type {[number | null]} */ (await once(child, 'exit'));
  if (exitCode !== 0) throw new Error(`${program} exited with code ${exitCode}.`);
  return performance.now() - startedAt;
}
