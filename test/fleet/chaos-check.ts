// What has to hold after chaos, and what it is started with.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import type { ChaosReport } from './chaos.ts';
import type { MemoryInUse } from './memory-in-use.ts';

/** What is wrong after chaos; nothing, it is hoped. */
export function problemsIn(report: ChaosReport): string[] {
  const { unsettled, over, states, givenUp, grown, survivors, succeeded } = report;
  const lost = states.filter(
    ({ state, reason, hasSmallBudget }) =>
      state !== 'ready' && !(state === 'failed' && hasSmallBudget && isReason(reason)),
  );
  const untold = givenUp.filter(({ name, reason }) => !isReason(reason) || !reason.includes(`"${name}"`));
  return [
    ...(unsettled > 0 ? [`${unsettled} calls never ended`] : []),
    ...over.map(
      ({ call, limitMs, waitedMs, tookMs, heldUpMs, code }) =>
        `a call (${call}, ${code}) waited ${waitedMs} ms and took ${tookMs} ms, its limit was ${limitMs} ms, this process was held up for ${heldUpMs} ms at most`,
    ),
    ...lost.map(({ name, state, reason }) => `${name} did not come back: it is ${state} (${reason})`),
    ...untold.map(({ name, reason }) => `${name} was given up, and the reason is no help: ${reason}`),
    ...(givenUp.length === 0 ? ['no plugin used its budget up'] : []),
    ...tooMuch(grown),
    ...(survivors > 0 ? [`${survivors} processes outlived the fleet`] : []),
    ...dialectNames.filter((name) => !succeeded.has(name)).map((name) => `no call of ${name} succeeded`),
  ];
}

/** That it is a crash loop, and what happened the last time. */
function isReason(reason: string | undefined): reason is string {
  return reason !== undefined && /failed after \d+ restarts within .*The last time: \S/.test(reason);
}

/**
 * The logs are full before it is counted, so that neither heap nor buffers have a reason to grow: half a MiB and two were seen, and 8 MiB are 4 KiB for
 * each call of a minute. What the machine sees is more: the young generation of V8 grows up to three times 16 MiB, is not given back, and leaves gaps.
 */
const MOST: MemoryInUse = { heapMiB: 8, externalMiB: 8, residentMiB: 64 };

export function tooMuch(grown: MemoryInUse): string[] {
  const words = { heapMiB: 'the heap', externalMiB: 'what is outside of it', residentMiB: 'the process' };
  return (['heapMiB', 'externalMiB', 'residentMiB'] as const)
    .filter((key) => grown[key] > MOST[key])
    .map((key) => `${words[key]} grew by ${grown[key].toFixed(1)} MiB, more than ${MOST[key]}`);
}

/** Closed, and its folder gone, when the test is over. */
export function chaosLauncher(): Launcher {
  const stateFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-chaos-'));
  const launcher = createLauncher({ env: process.env, stateFolder });
  onTestFinished(async () => {
    await launcher.close();
    fs.rmSync(stateFolder, { recursive: true, force: true });
  });
  return launcher;
}
