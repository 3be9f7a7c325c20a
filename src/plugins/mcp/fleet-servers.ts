// The MCP servers of a fleet, for the command `mcp`: the files are read each time, and the fleet follows them.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../base/error.ts';
import { oneByOne } from '../../base/async.ts';
import { sentences } from '../../base/text.ts';
import { didYouMean } from '../../base/names.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { recordKey } from '../../dialect/mcp/oauth/record.ts';
import type { FleetAccess } from '../../fleet/access/fleet-access.ts';
import {
  addToConfig,
  type ConfigTarget,
  type Edit,
  mcpJsonForm,
  removeFromConfig,
} from '../../fleet/discovery/edit-config.ts';
import { type Discovery, type Found, refusalOf } from '../../fleet/discovery/discover.ts';
import { describeProblem } from '../../fleet/discovery/problem.ts';
import { projectFiles } from '../../fleet/discovery/config-places.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { LogBook, LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { PluginState } from '../../fleet/plugin/instances.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import { stoppedByUser } from '../../fleet/registry/resolve.ts';
import type { TrustStore } from '../../fleet/trust/trust-store.ts';
import { serverView } from './server-view.ts';
import { LOG_MAX, type ConnectOptions, type McpServers, type ServerLog, type ServerView } from './servers.ts';

export interface FleetServersParts {
  readonly host: ServerHost;
  /** Reads the files. */
  readonly discover: () => Promise<Discovery>;
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
  /** All servers that the files have named so far. */
  const known = new Set<string>();
  /** Those that the user has disconnected. */
  const disconnected = new Set<string>();
  const pluginOf = (name: string) => host.plugins.find((plugin) => plugin.name === name);
  const isMcp = ({ spec, origin }: Found) =>
    origin.kind === 'mcp-json' || spec.dialect === 'mcp' || pluginOf(spec.name)?.manifest?.dialect === 'mcp';
  const follow = (discovery: Discovery) => {
    for (const found of discovery.plugins) {
      if (!isMcp(found)) continue;
      known.add(found.spec.name);
      const plugin = pluginOf(found.spec.name);
      if (plugin !== undefined) ring.follow(plugin.name, plugin.logs);
    }
    return discovery;
  };
  const look = async () => follow(await parts.discover());
  const viewOf = (found: Found): ServerView => {
    const { name } = found.spec;
    const plugin = pluginOf(name);
    return serverView(found, {
      plugin,
      isOutdated: plugin !== undefined && isOther(plugin, found),
      isDisconnected: disconnected.has(name),
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
  /** A stopped server whose settings have changed is replaced; a running one goes on as it was started. */
  const dropOutdated = async (found: Found) => {
    const why = refusal(found);
    if (why !== undefined) throw why;
    const plugin = pluginOf(found.spec.name);
    if (plugin && STOPPED.has(plugin.status.state) && isOther(plugin, found)) await drop(plugin.name);
  };
  const start = async (found: Found, { show, signal }: ConnectOptions) => {
    signal.throwIfAborted();
    const { name } = found.spec;
    disconnected.delete(name);
    const leave = access?.attend(name, (url) => show(name, url));
    const stop = () => void pluginOf(name)?.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await host.start(found.spec, (plugin) => {
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
  /** Removes servers that are gone or changed from the fleet, and returns what has to be started. */
  const applied = async (discovery: Discovery) => {
    const wanted = discovery.plugins.filter((found) => isMcp(found) && refusal(found) === undefined);
    const names = wanted.map(({ spec }) => spec.name);
    // A file that cannot be read may name the missing servers.
    const isUnread = discovery.problems.some(({ severity }) => severity === 'error');
    const isNamed = (name: string) => discovery.plugins.some(({ spec }) => spec.name === name);
    const removed = [...known].filter(
      (name) => pluginOf(name) !== undefined && !names.includes(name) && (isNamed(name) || !isUnread),
    );
    const fresh = wanted.filter(
      ({ spec: { name } }) => pluginOf(name) === undefined && !disconnected.has(name),
    );
    const changed = wanted.filter((found) => {
      const plugin = pluginOf(found.spec.name);
      return plugin !== undefined && isOther(plugin, found);
    });
    await Promise.all([...removed, ...changed.map(({ spec }) => spec.name)].map(drop));
    const toStart = [...fresh, ...changed];
    return {
      discovery,
      toStart,
      added: fresh.map(({ spec }) => spec.name),
      changed: changed.map(({ spec }) => spec.name),
      removed,
      kept: names.filter((name) => !toStart.some(({ spec }) => spec.name === name)),
    };
  };

  return {
    async list() {
      return listed(await look());
    },
    async add(name, entry, options) {
      const { file, found } = await inTurn(async () => {
        const target = await targetFor(options.isUser ? home : undefined, cwd);
        const { skipped, ...edit } = await addToConfig(target, [{ name, entry }]);
        const [refused] = skipped;
        if (refused !== undefined)
          throw new PluglotError(
            'CONFIG_INVALID',
            `"${name}" was not added: ${sentences(refused.reason, refused.wayOut)}`,
          );
        await changeTrust(target, edit);
        const { plugins } = await look();
        return { file: target.file, found: plugins.find(({ spec }) => spec.name === name) };
      });
      if (found === undefined) return { file };
      // A failure is reported by its state.
      if (refusal(found) === undefined) await start(found, options).catch(() => {});
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
        disconnected.delete(name);
        if (found?.spec.start.kind === 'http') {
          const { url, oauth } = found.spec.start;
          if (URL.canParse(url)) await access?.safe.remove(recordKey(new URL(url), oauth?.clientId));
        }
        return { file: target.file };
      }),
    async connect(name, options) {
      const found = await inTurn(async () => {
        const one = find(await look(), name);
        await dropOutdated(one);
        return one;
      });
      await start(found, options);
      return viewOf(found);
    },
    async disconnect(name) {
      const found = find(await look(), name);
      disconnected.add(name);
      await host.stop(name);
      return viewOf(found);
    },
    async reload(options) {
      const { discovery, toStart, ...changes } = await inTurn(async () => applied(await look()));
      // All at once; a failure is reported by the state of the server.
      const eager = toStart.filter(({ spec }) => spec.lazy !== true);
      await Promise.allSettled(eager.map((found) => start(found, options)));
      return { ...listed(discovery), ...changes };
    },
    logs: () => ring.entries,
    clearLogs: () => ring.clear(),
  };
}

function refusal(found: Found): PluglotError | undefined {
  return refusalOf(`The server "${found.spec.name}"`, found);
}

const STOPPED: ReadonlySet<PluginState> = new Set(['stopped', 'failed', 'backoff']);

/** `config` is left out: it may come from other files, and MCP does not use it. */
function isOther(plugin: Plugin, { spec }: Found): boolean {
  return !isDeepStrictEqual({ ...plugin.spec, config: undefined }, { ...spec, config: undefined });
}

function unknownServer(name: string, names: readonly string[]): PluglotError {
  const way =
    didYouMean(name, names) ||
    (names.length === 0 ? ' There are no MCP servers.' : ` Known: ${names.join(', ')}.`);
  return new PluglotError('UNKNOWN_PLUGIN', `The MCP server "${name.slice(0, 100)}" does not exist.${way}`);
}

/** The nearest file of the project, otherwise a new one here; or that of the user. */
async function targetFor(home: string | undefined, cwd: string): Promise<ConfigTarget> {
  if (home !== undefined) return ownerOf(path.join(home, '.mcp.json'), home);
  const file = (await (await projectFiles(cwd)).nearest('.mcp.json')) ?? path.join(cwd, '.mcp.json');
  return { file, owner: 'project', form: mcpJsonForm };
}

function ownerOf(file: string, home: string): ConfigTarget {
  const owner = file === path.join(home, '.mcp.json') ? 'user' : 'project';
  return { file, owner, form: mcpJsonForm };
}

/** The `.mcp.json` that names a server, even if its entry is invalid. */
function placeOf({ plugins, problems }: Discovery, name: string, otherwise: () => Found): string {
  const found = plugins.find(({ spec }) => spec.name === name);
  const broken = problems.find(({ plugin, file }) => plugin === name && path.basename(file) === '.mcp.json');
  if (found === undefined && broken !== undefined) return broken.file;
  const { origin } = found ?? otherwise();
  if (origin.kind === 'mcp-json') return origin.file;
  throw new PluglotError(
    'CONFIG_INVALID',
    `"${name}" is not in a .mcp.json but in ${origin.file}. Remove it there: pluglot remove ${name}`,
  );
}

/** Longer messages are cut. */
const MESSAGE_MAX = 2000;

export interface LogRing {
  readonly entries: readonly ServerLog[];
  /** Adds the log of this server, from its beginning on. */
  follow(server: string, logs: LogBook): void;
  unfollow(server: string): void;
  clear(): void;
}

export function logRing(): LogRing {
  let entries: ServerLog[] = [];
  const followed = new Map<string, { readonly logs: LogBook; readonly end: () => void }>();
  const push = (server: string, { at, level, message }: LogRecord) => {
    entries.push({ at, server, level, message: message.slice(0, MESSAGE_MAX) });
    if (entries.length >= 2 * LOG_MAX) entries = entries.slice(-LOG_MAX);
  };
  const unfollow = (server: string) => {
    followed.get(server)?.end();
    followed.delete(server);
  };
  return {
    get entries() {
      return entries.slice(-LOG_MAX);
    },
    follow(server, logs) {
      if (followed.get(server)?.logs === logs) return;
      unfollow(server);
      for (const entry of logs.entries) push(server, entry);
      // Entries of other servers may be older or newer.
      entries.sort((one, other) => one.at - other.at);
      followed.set(server, { logs, end: logs.follow((entry) => push(server, entry)) });
    },
    unfollow,
    clear() {
      entries = [];
    },
  };
}

export interface ServerHost {
  readonly plugins: readonly Plugin[];
  /** Why a server could not be started the last time. */
  failureOf(name: string): PluglotError | undefined;
  /**
   * Adds it to the fleet if needed, and starts it. `seen` gets the plugin as soon as it exists.
   * @throws PluglotError why it cannot be started
   */
  start(spec: PluginSpec, seen: (plugin: Plugin) => void): Promise<void>;
  /** Its tools cannot be called until it is started again. */
  stop(name: string): Promise<void>;
  /** Stops it and removes it from the fleet, if it is there. */
  drop(name: string): Promise<void>;
}

/** The registry must have read the files before. */
export function hostOfRegistry(registry: Registry, fleet: Fleet): ServerHost {
  const find = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  return {
    get plugins() {
      return fleet.plugins;
    },
    failureOf: (name) => registry.getPlugin(name)?.failure,
    async start({ name }, seen) {
      await registry.wake(name);
      const present = find(name);
      if (present !== undefined) {
        seen(present);
        await present.start();
      }
      // A plugin that cannot start is in the fleet only while it is being started.
      const endListening = fleet.onEvent(({ kind, plugin }) => {
        if (kind === 'plugin-added' && plugin === name) seen(fleet.plugin(name));
      });
      try {
        await registry.exposeTool(name);
      } finally {
        endListening();
      }
    },
    async stop(name) {
      await registry.unexposeTool(name, stoppedByUser(name));
      await find(name)?.stop();
    },
    async drop(name) {
      await registry.unexposeTool(name);
      if (find(name) !== undefined) await fleet.remove(name);
    },
  };
}
