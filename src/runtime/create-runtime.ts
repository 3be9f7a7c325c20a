// The only place that wires the parts of a host together.
import { discover, type Discovery } from '../fleet/discovery/discover.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { hostOfRegistry } from '../plugins/mcp/server-host.ts';
import { createFleetParts } from './fleet-parts.ts';
import { callTracing } from './tracing/call-tracing.ts';
import type { RuntimeOptions, RuntimeParts } from './runtime-parts.ts';
import { runtimeApi, type LocalRuntimeApi } from './views/runtime-api.ts';
import type { Tokens } from './tokens/tokens.ts';
import { wire } from './wire.ts';

export type { RuntimeOptions } from './runtime-parts.ts';

/** It is asked as one that is reached over HTTP is (`connectRuntime`), and what it is made of is at hand. */
export interface Runtime extends LocalRuntimeApi, RuntimeParts {
  readonly tokens: Tokens;
  close(): Promise<void>;
}

/**
 * Reads what is configured for the gate; finds and starts nothing yet: `registry.discover()` and `registry.exposeAll()` do.
 * @throws PluglotError CONFIG_INVALID when PLUGLOT_HOME is no absolute path
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { cwd, home, env, configFile } = options;
  const parts = createFleetParts(options);
  const { fleet, launcher, checks, trust } = parts;
  let last: Discovery | undefined;
  // What is started again days later is looked at again, by what was read when it was put there.
  const checked: Fleet = {
    ...fleet,
    get plugins() {
      return fleet.plugins;
    },
    add(spec) {
      if (last !== undefined) checks.set(spec.name, last.checkAgain);
      return fleet.add(spec);
    },
  };
  const look = async (files: boolean, packages: boolean, builtIns: readonly string[] = []) => {
    const named = configFile === undefined ? {} : { configFile };
    last = await discover({ cwd, home, env, trust, builtIns, packages, files, ...named });
    return last;
  };
  const wired = await wire(
    {
      parts,
      fleet: checked,
      servers: {
        host: (registry) => hostOfRegistry(registry, fleet),
        async discover(registry) {
          await registry.discover();
          return last ?? look(true, true);
        },
      },
      discover: ({ folders, packages }, builtIns) => look(folders, packages, builtIns),
    },
    options,
  );
  wired.gate.observe(await callTracing());
  const { version = '0.0.0', traffic = false, approvals } = options;
  const api = runtimeApi(wired, { version, traffic, ...(approvals && { approvals }) });
  const { registry, gate, folders, secrets, tokens } = wired;
  return {
    ...api,
    registry,
    gate,
    fleet,
    folders,
    secrets,
    sandbox: () => wired.sandbox(),
    tokens,
    onLog: (listener) => wired.onLog(listener),
    reloadGate: () => wired.reloadGate(),
    get problems() {
      return wired.problems;
    },
    get found() {
      return wired.found;
    },
    async close() {
      await api.close();
      await wired.close();
      await fleet.close();
      await launcher.close();
    },
  };
}
