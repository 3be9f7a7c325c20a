// What has to hold after chaos, and what it is started with.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import type { ChaosReport } from '../fleet/chaos.ts';

/** What is wrong after chaos; nothing, it is hoped. */
export function problemsIn(report: ChaosReport): string[] {
  const { unsettled, states, heapGrowthMiB, survivors, outcomes } = report;
  const lost = states.filter(
    ({ state, reason }) => state !== 'ready' && (state !== 'failed' || reason === undefined),
  );
  return [
    ...(unsettled > 0 ? [`${unsettled} calls never ended`] : []),
    ...lost.map(({ name, state, reason }) => `${name} did not come back: it is ${state} (${reason})`),
    ...(heapGrowthMiB > 32 ? [`the heap grew by ${heapGrowthMiB} MiB`] : []),
    ...(survivors > 0 ? [`${survivors} processes outlived the fleet`] : []),
    ...(outcomes['ok'] === undefined ? ['no call succeeded'] : []),
  ];
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
