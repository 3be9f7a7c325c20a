// The names a shell may complete. Nothing is started for them: they are what files say, and what a running `up` knows.
import { systemClock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json.ts';
import { late, within } from '../../../base/within.ts';
import { discover } from '../../../fleet/discovery/discover.ts';
import type { Surroundings } from '../surroundings.ts';
import { attach } from './attached-host.ts';
import { socketOf } from './project-socket.ts';

export interface KnownNames {
  readonly plugins: readonly string[];
  readonly tools: readonly string[];
}

/** Whoever has pressed TAB does not wait longer for an `up` that does not answer. */
const PATIENCE_MS = 1000;

export async function knownNames(surroundings: Surroundings): Promise<KnownNames> {
  const running = await within(namesOfRunning(surroundings), PATIENCE_MS, systemClock);
  return running === late || running === undefined ? namesOnDisk(surroundings) : running;
}

async function namesOfRunning(surroundings: Surroundings): Promise<KnownNames | undefined> {
  const host = await attach(await socketOf({ ...surroundings, configFile: undefined }));
  if (host === undefined) return undefined;
  try {
    const [plugins, { tools }] = [await host.plugins(), await host.tools({ ask: false })];
    return { plugins: plugins.map(({ name }) => name), tools: tools.map(({ name }) => name) };
  } finally {
    await host.close();
  }
}

async function namesOnDisk({ cwd, home, env }: Surroundings): Promise<KnownNames> {
  const { plugins } = await discover({ cwd, home, env });
  return {
    plugins: plugins.map(({ spec }) => spec.name),
    tools: plugins.flatMap(({ spec }) => manifestTools(spec.manifest)),
  };
}

/** A G-Assist manifest lists its functions. */
function manifestTools(manifest: unknown): string[] {
  const functions: unknown = isJsonObject(manifest) ? manifest['functions'] : undefined;
  if (!Array.isArray(functions)) return [];
  return functions.flatMap((one: unknown) =>
    isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : [],
  );
}
