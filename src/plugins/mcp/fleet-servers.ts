// The MCP servers of a fleet, behind the command `mcp`: what the files say is read anew each time, and the fleet is made to follow.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../base/error.ts';
import { oneByOne } from '../../base/one-by-one.ts';
import { sentences } from '../../base/sentence.ts';
import { recordKey } from '../../dialect/mcp/oauth/record.ts';
import type { Discovery, Found } from '../../fleet/discovery/discover.ts';
import {
  addToConfig,
  removeFromConfig,
  type ConfigTarget,
  type Edit,
} from '../../fleet/discovery/edit-config.ts';
import { describeProblem } from '../../fleet/discovery/problem.ts';
import { refusalOf } from '../../fleet/discovery/refusal.ts';
import type { FleetAccess } from '../../fleet/access/fleet-access.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { PluginState } from '../../fleet/plugin/status.ts';
import type { TrustStore } from '../../fleet/trust/trust-store.ts';
import { logRing } from './log-ring.ts';
import { ownerOf, placeOf, targetFor, unknownServer } from './server-files.ts';
import type { ServerHost } from './server-host.ts';
import { serverView } from './server-view.ts';
import type { ConnectOptions, McpServers, ServerView } from './servers.ts';

export interface FleetServersParts {
  readonly host: ServerHost;
  /** Reads the files. */
  readonly discover: () => Promise<Discovery>;
  /** What the fleet was made of, so that it is known what is gone since. */
  readonly discovery?: Discovery;
  readonly trust: TrustStore;
  /** The folder of the project. */
  readonly cwd: string;
  /** The folder of the user. */
  readonly home: string;
  readonly access?: FleetAccess;
  /** @default the time of the system, in milliseconds since 1970 */
  readonly now?: () => number;
}

export function fleetServers(parts: FleetServersParts): McpServers {
  const { host, trust, cwd, home, access, now = Date.now } = parts;
  const ring = logRing();
  /** All that the files have named so far. */
  const known = new Set<string>();
  /** Those that somebody has disconnected. */
  const resting = new Set<string>();
  const pluginOf = (name: string) => host.plugins.find((plugin) => plugin.name === name);
  const isMcp = ({ spec, origin }: Found) =>
    origin.kind === 'mcp-json' || spec.dialect === 'mcp' || pluginOf(spec.name)?.manifest?.dialect === 'mcp';
  const noticed = (discovery: Discovery) => {
    for (const found of discovery.plugins) {
      if (!isMcp(found)) continue;
      known.add(found.spec.name);
      const plugin = pluginOf(found.spec.name);
      if (plugin !== undefined) ring.follow(plugin.name, plugin.logs);
    }
    return discovery;
  };
  if (parts.discovery !== undefined) noticed(parts.discovery);
  const look = async () => noticed(await parts.discover());
  const viewOf = (found: Found): ServerView => {
    const { name } = found.spec;
    const plugin = pluginOf(name);
    return serverView(found, {
      plugin,
      isOutdated: plugin !== undefined && isOther(plugin, found),
      isResting: resting.has(name),
      failure: host.failureOf(name),
      now: now(),
    });
  };
  const listed = ({ plugins, problems }: Discovery) => ({
    servers: plugins.filter(isMcp).map(viewOf),
    problems: problems.map(describeProblem),
  });
  const find = ({ plugins, problems }: Discovery, name: string): Found => {
    const found = plugins.find(({ spec }) => spec.name === name);
    if (found !== undefined && isMcp(found)) return found;
    const broken = problems.find(({ plugin }) => plugin === name);
    if (broken !== undefined) throw new PluglotError('CONFIG_INVALID', describeProblem(broken));
    const names = plugins.filter(isMcp).map(({ spec }) => spec.name);
    throw unknownServer(name, names);
  };

  /** One change after the other. */
  const inTurn = oneByOne();
  const drop = async (name: string) => {
    await host.drop(name);
    ring.unfollow(name);
  };
  /** What stands still and is other than the files say makes room for what they say; what runs goes on as it was started. */
  const makeRoom = async (found: Found) => {
    const refusal = refusalOf(`The server "${found.spec.name}"`, found);
    if (refusal !== undefined) throw refusal;
    const plugin = pluginOf(found.spec.name);
    const isStill = plugin !== undefined && STILL.has(plugin.status.state);
    if (isStill && isOther(plugin, found)) await drop(plugin.name);
  };
  const start = async (found: Found, { checkAgain }: Discovery, { show, signal }: ConnectOptions) => {
    signal.throwIfAborted();
    const { name } = found.spec;
    resting.delete(name);
    const leave = access?.attend(name, (url) => show(name, url));
    // Whoever asked for it does not want it any more.
    const stop = () => void pluginOf(name)?.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await host.start(found.spec, checkAgain, (plugin) => {
        ring.follow(name, plugin.logs);
        if (signal.aborted) stop();
      });
    } finally {
      signal.removeEventListener('abort', stop);
      leave?.();
    }
  };
  const changeTrust = async ({ file, owner }: ConfigTarget, { before, after }: Edit) => {
    if (owner === 'user' || after === undefined) return;
    await trust.follow(file, before === undefined ? { after } : { before, after });
  };
  /** Takes in and out of the fleet what is other than before. */
  const applied = async (discovery: Discovery) => {
    const wanted = discovery.plugins.filter(
      (found) => isMcp(found) && refusalOf(`The server "${found.spec.name}"`, found) === undefined,
    );
    const names = wanted.map(({ spec }) => spec.name);
    // Where something cannot be read, what is missing may stand just there.
    const isUnread = discovery.problems.some(({ severity }) => severity === 'error');
    const isNamed = (name: string) => discovery.plugins.some(({ spec }) => spec.name === name);
    const removed = [...known].filter(
      (name) => pluginOf(name) !== undefined && !names.includes(name) && (isNamed(name) || !isUnread),
    );
    const fresh = wanted.filter(({ spec: { name } }) => pluginOf(name) === undefined && !resting.has(name));
    const changed = wanted.filter((found) => {
      const plugin = pluginOf(found.spec.name);
      return plugin !== undefined && isOther(plugin, found);
    });
    await Promise.all([...removed, ...changed.map(({ spec }) => spec.name)].map(drop));
    const begun = [...fresh, ...changed];
    return {
      discovery,
      begun,
      added: fresh.map(({ spec }) => spec.name),
      changed: changed.map(({ spec }) => spec.name),
      removed,
      kept: names.filter((name) => !begun.some(({ spec }) => spec.name === name)),
    };
  };

  return {
    async list() {
      return listed(await look());
    },
    async add(name, entry, options) {
      const { file, found, discovery } = await inTurn(async () => {
        const target = await targetFor(options.isUser ? home : undefined, cwd);
        const { skipped, ...edit } = await addToConfig(target, [{ name, entry }]);
        const [refused] = skipped;
        if (refused !== undefined)
          throw new PluglotError(
            'CONFIG_INVALID',
            `"${name}" was not added: ${sentences(refused.reason, refused.wayOut)}`,
          );
        await changeTrust(target, edit);
        const after = await look();
        const one = after.plugins.find(({ spec }) => spec.name === name);
        return { file: target.file, found: one, discovery: after };
      });
      if (found === undefined) return { file };
      // How that goes is told by its state.
      if (refusalOf(`The server "${found.spec.name}"`, found) === undefined)
        await start(found, discovery, options).catch(() => {});
      return { file, server: viewOf(found) };
    },
    remove: (name) =>
      inTurn(async () => {
        const discovery = await look();
        const target = ownerOf(
          placeOf(discovery, name, () => find(discovery, name)),
          home,
        );
        const found = discovery.plugins.find(({ spec }) => spec.name === name);
        const { removed, ...edit } = await removeFromConfig(target, [name]);
        if (removed.length === 0) throw unknownServer(name, [...known]);
        await changeTrust(target, edit);
        await drop(name);
        known.delete(name);
        resting.delete(name);
        if (found?.spec.start.kind === 'http') {
          const { url, oauth } = found.spec.start;
          if (URL.canParse(url)) await access?.safe.remove(recordKey(new URL(url), oauth?.clientId));
        }
        return { file: target.file };
      }),
    async connect(name, options) {
      const { found, discovery } = await inTurn(async () => {
        const before = await look();
        const one = find(before, name);
        await makeRoom(one);
        return { found: one, discovery: before };
      });
      await start(found, discovery, options);
      return viewOf(found);
    },
    async disconnect(name) {
      const found = find(await look(), name);
      resting.add(name);
      await host.stop(name);
      return viewOf(found);
    },
    async reload(options) {
      const { discovery, begun, ...told } = await inTurn(async () => applied(await look()));
      // All at once, and one that fails leaves the others alone: its state tells.
      const eager = begun.filter(({ spec }) => spec.lazy !== true);
      await Promise.allSettled(eager.map((found) => start(found, discovery, options)));
      return { ...listed(discovery), ...told };
    },
    logs: () => ring.entries,
    clearLogs: () => ring.clear(),
  };
}

const STILL: ReadonlySet<PluginState> = new Set(['stopped', 'failed', 'backoff']);

/** What it is configured with may have been said elsewhere, and MCP has no words for it. */
function isOther(plugin: Plugin, { spec }: Found): boolean {
  return !isDeepStrictEqual({ ...plugin.spec, config: undefined }, { ...spec, config: undefined });
}
