// The names a shell may complete. Nothing is started for them: they are what files say, and what a running `up` knows.
import { systemClock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json.ts';
import { late, within } from '../../../base/within.ts';
import { fullName } from '../../../definition/full-name.ts';
import { discover } from '../../../fleet/discovery/discover.ts';
import type { Surroundings } from '../surroundings.ts';
import { attach } from './attached-host.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { withoutBuiltIns } from './host.ts';
import { socketOf } from './project-socket.ts';

export interface KnownNames {
  readonly plugins: readonly string[];
  /** Full ones. */
  readonly tools: readonly string[];
}

/** Whoever has pressed TAB does not wait longer for somebody who does not answer. */
const PATIENCE_MS = 1000;

export async function knownNames(surroundings: Surroundings): Promise<KnownNames> {
  return (await ofRunning(surroundings, namesOf)) ?? namesOnDisk(surroundings);
}

/** Of the `up` that runs here; undefined where none does, or none that answers. */
export async function ofRunning<Value>(
  surroundings: Surroundings,
  ask: (host: RuntimeApi) => Promise<Value>,
): Promise<Value | undefined> {
  const asking = async () => {
    const host = await attach(await socketOf({ ...surroundings, configFile: undefined }));
    if (host === undefined) return undefined;
    try {
      return await ask(host);
    } finally {
      await host.close();
    }
  };
  const value = await within(asking(), PATIENCE_MS, systemClock);
  return value === late ? undefined : value;
}

async function namesOf(host: RuntimeApi): Promise<KnownNames> {
  const [{ plugins }, tools] = await Promise.all([host.plugins(), host.tools()]);
  return { plugins: withoutBuiltIns(plugins).map(({ name }) => name), tools: tools.map(({ name }) => name) };
}

async function namesOnDisk({ cwd, home, env }: Surroundings): Promise<KnownNames> {
  const { plugins, modules } = await discover({ cwd, home, env });
  return {
    plugins: [...plugins.map(({ spec }) => spec.name), ...modules.map(({ module }) => module.name)],
    tools: plugins.flatMap(({ spec }) =>
      manifestTools(spec.manifest).map((tool) => fullName(spec.name, tool)),
    ),
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
