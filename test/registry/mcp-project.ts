// A project with a .mcp.json, a fleet, and what the command `mcp` sees of both.
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { fleetAccess } from '../../src/fleet/access/fleet-access.ts';
import { discover, userTrustStore, type Discovery } from '../../src/fleet/discovery/discover.ts';
import { createRegistry, type Registry } from '../../src/fleet/registry/registry.ts';
import { fleetServers, hostOfRegistry, type ServerHost } from '../../src/plugins/mcp/fleet-servers.ts';
import type { Fleet } from '../../src/fleet/fleet.ts';
import { root } from '../support/project.ts';
import { realFleet } from '../support/fleet/real-fleet.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

/** One of test/plugins/mcp. */
export const server = (name: string) => ({
  command: process.execPath,
  args: [path.join(root, 'test/plugins/mcp', `${name}.mjs`)],
});

export const quiet = { show: () => {}, signal: new AbortController().signal };

export interface McpProjectOptions {
  /** @default true */
  readonly isTrusted?: boolean;
}

/** With these servers; the fleet has none of them yet. What fails is not tried again. */
export async function mcpProject(
  mcpServers: Record<string, object> | undefined,
  options: McpProjectOptions = {},
) {
  const { cwd, home, env, trust, ...rest } = await files(mcpServers, options);
  const access = fleetAccess({ folder: temporaryFolder() });
  const fleet = realFleet([], { access });
  const servers = fleetServers({
    host: hostOfFleet(fleet),
    discover: () => discover({ cwd, home, env, packages: false }),
    trust,
    cwd,
    home,
    access,
  });
  return { ...rest, cwd, home, fleet, servers, access };
}

/** The same, with a registry over the fleet. */
export async function mcpRegistry(mcpServers: Record<string, object>, options: McpProjectOptions = {}) {
  const { cwd, home, env, trust, ...rest } = await files(mcpServers, options);
  const access = fleetAccess({ folder: temporaryFolder() });
  const fleet = realFleet([], { access });
  let last: Discovery | undefined;
  const registry: Registry = createRegistry({
    fleet,
    env,
    stateFolder: path.join(home, 'state'),
    async discover() {
      last = await discover({ cwd, home, env, packages: false });
      return last;
    },
  });
  onTestFinished(() => registry.close());
  const look = async () => {
    await registry.discover();
    if (last === undefined) throw new Error('The registry did not look.');
    return last;
  };
  const servers = fleetServers({
    host: hostOfRegistry(registry, fleet),
    discover: look,
    trust,
    cwd,
    home,
    access,
  });
  return { ...rest, cwd, home, fleet, registry, servers, access };
}

async function files(
  mcpServers: Record<string, object> | undefined,
  { isTrusted = true }: McpProjectOptions,
) {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const env = { PLUGLOT_HOME: path.join(home, 'pluglot') };
  const file = path.join(cwd, '.mcp.json');
  const trust = userTrustStore({ env, home });
  const write = (servers: Record<string, object>) =>
    writeFiles(cwd, { '.mcp.json': { mcpServers: servers } });
  const trusted = () => trust.add(cwd, [file]);
  if (mcpServers !== undefined) write(mcpServers);
  if (mcpServers !== undefined && isTrusted) await trusted();
  const restart = { firstDelayMs: 1, max: 0 };
  const plugins = Object.fromEntries(Object.keys(mcpServers ?? {}).map((name) => [name, { restart }]));
  writeFiles(path.join(home, 'pluglot'), { 'pluglot.json': { plugins } });
  return { cwd, home, env, trust, file, write, trusted, read: () => fs.readFileSync(file, 'utf8') };
}

/** A host without a registry. */
function hostOfFleet(fleet: Fleet): ServerHost {
  const find = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  return {
    get plugins() {
      return fleet.plugins;
    },
    failureOf: () => undefined,
    async start(spec, seen) {
      const plugin = find(spec.name) ?? fleet.add(spec);
      seen(plugin);
      await plugin.start();
    },
    async stop(name) {
      await find(name)?.stop();
    },
    async drop(name) {
      if (find(name) !== undefined) await fleet.remove(name);
    },
  };
}
