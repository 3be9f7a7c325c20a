// The host's side of the warden: starts it with the first plugin, and again should someone end it.
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Program, spawnDetached } from './spawn.ts';

export interface WardenKeeper {
  /** Sees that there is a warden; tells why it could not be started. */
  ensure(): Error | undefined;
  /** Lets the warden go, when all is ended. */
  close(): Promise<void>;
}

/** The program of the warden; undefined when sources run that were never built. */
export function wardenProgram(): string | undefined {
  const files = ['./warden.js', '../../../dist/fleet/supervisor/warden.js'];
  return files
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => fs.existsSync(file));
}

/** One that ends so often has a reason that a further one will not change. */
const RESTARTS_MAX = 20;

/** @param program what ends the fleet when its stdin ends, unless `done` came before */
export function createWardenKeeper(program: Program): WardenKeeper {
  let warden: ChildProcess | undefined;
  let restarts = 0;
  let closed = false;

  const ensure = (): Error | undefined => {
    if (warden !== undefined || closed) return undefined;
    const started = spawnDetached(program);
    if (started instanceof Error) return started;
    warden = started;
    started.once('exit', () => {
      warden = undefined;
      restarts += 1;
      // Should it fail, the next launch tries again and tells.
      if (restarts <= RESTARTS_MAX) ensure();
    });
    return undefined;
  };

  return {
    ensure,
    async close() {
      closed = true;
      const last = warden;
      if (last === undefined) return;
      last.ref();
      const exited = new Promise((resolve) => last.once('exit', resolve));
      last.stdin?.end('done');
      await exited;
    },
  };
}
