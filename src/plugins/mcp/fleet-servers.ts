// The MCP servers of a fleet, behind the command `mcp`: what the files say is read anew each time, and the fleet is made to follow.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../base/error.ts';
import { recordKey } from '../../dialect/mcp/oauth/record.ts';
import type { Discovery, Found } from '../../fleet/discovery/discover.ts';
import {
  addToConfig,
  removeFromConfig,
  type ConfigTarget,
  type Edit,
} from '../../fleet/discovery/edit-config.ts';
import { describeProblem } from '../../fleet/discovery/problem.ts';
import type { FleetAccess } from '../../fleet/access/fleet-access.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { TrustStore } from '../../fleet/trust/trust-store.ts';
import { logRing } from './log-ring.ts';
import { ownerOf, placeOf, refusalOf, targetFor, unknownServer } from './server-files.ts';
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
    const plugin = pluginOf(found.spec.name);
    return serverView(found, plugin, plugin !== undefined && isOther(plugin, found), now());
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
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  const put = async (found: Found, { checkAgain }: Discovery) => {
    const plugin = await host.put(found.spec, checkAgain);
    ring.follow(plugin.name, plugin.logs);
    return plugin;
  };
  const drop = async (name: string) => {
    await host.drop(name);
    ring.unfollow(name);
  };
  /** As the files say now; one that runs goes on as it was started. */
  const brought = async (found: Found, discovery: Discovery): Promise<Plugin> => {
    const refusal = refusalOf(found);
    if (refusal !== undefined) throw refusal;
    const plugin = pluginOf(found.spec.name);
    if (plugin === undefined) return put(found, discovery);
    const isStill = ['stopped', 'failed', 'backoff'].includes(plugin.status.state);
    if (!isStill || !isOther(plugin, found)) return plugin;
    await drop(plugin.name);
    return put(found, discovery);
  };
  const started = async (plugin: Plugin, { show, signal }: ConnectOptions): Promise<void> => {
    signal.throwIfAborted();
    const leave = access?.attend(plugin.name, (url) => show(plugin.name, url));
    // Whoever asked for it does not want it any more.
    const stop = () => void plugin.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await plugin.start();
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
    const wanted = discovery.plugins.filter((found) => isMcp(found) && refusalOf(found) === undefined);
    const names = wanted.map(({ spec }) => spec.name);
    // Where something cannot be read, what is missing may stand just there.
    const isUnread = discovery.problems.some(({ severity }) => severity === 'error');
    const isNamed = (name: string) => discovery.plugins.some(({ spec }) => spec.name === name);
    const removed = [...known].filter(
      (name) => pluginOf(name) !== undefined && !names.includes(name) && (isNamed(name) || !isUnread),
    );
    const fresh = wanted.filter(({ spec }) => pluginOf(spec.name) === undefined);
    const changed = wanted.filter((found) => {
      const plugin = pluginOf(found.spec.name);
      return plugin !== undefined && isOther(plugin, found);
    });
    await Promise.all([...removed, ...changed.map(({ spec }) => spec.name)].map(drop));
    const plugins = await Promise.all([...fresh, ...changed].map((found) => put(found, discovery)));
    return {
      discovery,
      plugins,
      added: fresh.map(({ spec }) => spec.name),
      changed: changed.map(({ spec }) => spec.name),
      removed,
      kept: names.filter((name) => !plugins.some((plugin) => plugin.name === name)),
    };
  };

  return {
    async list() {
      return listed(await look());
    },
    async add(name, entry, options) {
      const { file, found, plugin } = await inTurn(async () => {
        const target = await targetFor(options.isUser ? home : undefined, cwd);
        const { skipped, ...edit } = await addToConfig(target, [{ name, entry }]);
        const [refused] = skipped;
        if (refused !== undefined)
          throw new PluglotError(
            'CONFIG_INVALID',
            `"${name}" was not added: ${refused.reason}. ${refused.wayOut}`,
          );
        await changeTrust(target, edit);
        const discovery = await look();
        const one = discovery.plugins.find(({ spec }) => spec.name === name);
        const isUsable = one !== undefined && refusalOf(one) === undefined;
        return {
          file: target.file,
          found: one,
          plugin: isUsable ? await brought(one, discovery) : undefined,
        };
      });
      // How that goes is told by its state.
      if (plugin !== undefined) await started(plugin, options).catch(() => {});
      return { file, ...(found !== undefined && { server: viewOf(found) }) };
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
        if (found?.spec.start.kind === 'http') {
          const { url, oauth } = found.spec.start;
          if (URL.canParse(url)) await access?.safe.remove(recordKey(new URL(url), oauth?.clientId));
        }
        return { file: target.file };
      }),
    async connect(name, options) {
      const { plugin, found } = await inTurn(async () => {
        const discovery = await look();
        const one = find(discovery, name);
        return { found: one, plugin: await brought(one, discovery) };
      });
      await started(plugin, options);
      return viewOf(found);
    },
    async disconnect(name) {
      const found = find(await look(), name);
      await pluginOf(name)?.stop();
      return viewOf(found);
    },
    async reload(options) {
      const { discovery, plugins, ...told } = await inTurn(async () => applied(await look()));
      // All at once, and one that fails leaves the others alone: its state tells.
      const eager = plugins.filter(({ spec }) => spec.lazy !== true);
      await Promise.allSettled(eager.map((plugin) => started(plugin, options)));
      return { ...listed(discovery), ...told };
    },
    logs: () => ring.entries,
    clearLogs: () => ring.clear(),
  };
}

function isOther(plugin: Plugin, { spec }: Found): boolean {
  return !isDeepStrictEqual(plugin.spec, spec);
}
