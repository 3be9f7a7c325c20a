// A runtime of this process, with the interface that a remote one has too.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isOwner, type Caller } from '../../definition/caller.ts';
import type { FleetEvent } from '../../fleet/fleet.ts';
import type { TrafficLimits } from '../../fleet/recording/traffic.ts';
import type { RegistryChange } from '../../fleet/registry/registry.ts';
import { isOffered } from '../../fleet/registry/resolved.ts';
import type { ApprovalQueue } from '../../gate/approval/queue.ts';
import type { RuntimeApi } from '../api.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { auditPage } from './audit-page.ts';
import { CallStats } from './call-stats.ts';
import { EventHub } from './event-hub.ts';
import { GatedTalk } from './gated-talk.ts';
import { registryKeeper, type Keeper } from './keeper.ts';
import { LogBooks, readLog } from './log-books.ts';
import { pluginViews } from './plugin-views.ts';
import { Recordings } from './recordings.ts';
import { Wires } from './wires.ts';

export interface RuntimeApiExtras {
  readonly version: string;
  /** Who calls where nobody says it. @default the program that this is a part of */
  readonly caller?: Caller;
  /** The one that the runtime was made with. @default nobody asks here */
  readonly approvals?: ApprovalQueue;
  /** Whether the messages on the wires are kept for people to look at; limits mean yes. @default false */
  readonly traffic?: boolean | TrafficLimits;
  /** Who starts and stops plugins here, and knows which of them has what. @default the registry alone */
  readonly keeper?: Keeper;
  /** @default the real one */
  readonly clock?: Clock;
}

const client: Caller = { kind: 'client' };

export interface LocalRuntimeApi extends RuntimeApi {
  /** What was counted since it was made. */
  readonly stats: CallStats;
}

/** To be made before plugins are exposed: what happened before is not seen. */
export function runtimeApi(runtime: RuntimeParts, extras: RuntimeApiExtras): LocalRuntimeApi {
  const { registry, gate, fleet, folders, secrets } = runtime;
  const { version, approvals, traffic = false, clock = systemClock } = extras;
  const { caller = { kind: 'program' } } = extras;
  const startedAt = clock.now();
  const since = new Map<string, number>();
  const stats = new CallStats(clock, (plugin) => hub.pluginBusy(plugin));
  const keeper = extras.keeper ?? registryKeeper(runtime);
  const views = pluginViews({ runtime, stats, since, changeOf: (name) => keeper.changeOf?.(name) });
  const hub = new EventHub(clock, (name) => views.find(name));
  const books = new LogBooks();
  const wires = new Wires(clock, secrets, traffic === true ? {} : traffic === false ? undefined : traffic);
  const recordings = new Recordings(path.join(folders.state, 'recordings'), secrets, () => wires.isOn);
  const talks = new Set<GatedTalk>();
  const nextTalk = ids();

  const follow = (plugin: string) => {
    books.follow(fleet, plugin);
    wires.follow(fleet.plugin(plugin));
  };
  const heard = (event: FleetEvent) => {
    const { kind, plugin } = event;
    if (kind === 'logged') hub.emit({ kind: 'log', plugin, entry: event.entry });
    else if (kind === 'plugin-added') follow(plugin);
    else if (kind === 'state-changed') {
      const isCall = event.state === 'busy' || (event.previous === 'busy' && event.state === 'ready');
      if (isCall) hub.pluginBusy(plugin);
      else hub.pluginChanged(plugin);
    } else hub.pluginChanged(plugin);
  };
  const registryChanged = (change: RegistryChange) => {
    if (change.kind === 'exposed') since.set(change.plugin, Date.now());
    else if (change.kind === 'unexposed') since.delete(change.plugin);
    if (!hub.isHeard) return;
    for (const name of change.kind === 'available-changed' ? views.names() : [change.plugin])
      hub.pluginChanged(name);
    hub.emit({ kind: 'tools' });
  };
  for (const { name } of fleet.plugins) follow(name);
  const detach = [
    gate.observe(stats),
    fleet.onEvent(heard),
    registry.onChanged(registryChanged),
    runtime.onLog((told) =>
      books.write(told, (entry) => hub.emit({ kind: 'log', plugin: told.plugin, entry })),
    ),
    approvals?.onChanged((pending) => hub.emit({ kind: 'approvals', pending })) ?? (() => {}),
  ];
  let unfollowAudit: (() => void) | undefined;
  /** Only while somebody listens, since every line of it would be made fit to be heard. */
  const followAudit = () => {
    if (!hub.isHeard) unfollowAudit?.();
    unfollowAudit = hub.isHeard
      ? (unfollowAudit ??
        gate.observe({
          audited: (event) => hub.emit({ kind: 'audit', at: new Date().toISOString(), event }),
        }))
      : undefined;
  };
  const processOf = (name: string) => {
    views.view(name);
    const process = registry.getPlugin(name)?.process;
    if (process === undefined)
      throw new PluglotError(
        'UNSUPPORTED',
        `Plugin "${name}" has no process that runs, and so no wire to look at.`,
      );
    return process;
  };
  const changed = async (name: string, action: 'start' | 'stop' | 'restart') => {
    // One that is only now written down is known to its keeper alone.
    if (action !== 'start') views.view(name);
    await keeper[action](name);
    return views.view(name);
  };
  /** What is switched off is nobody's to call, but shown to the owner. */
  const isSeen = (kind: 'tool' | 'command', name: string, asking: Caller) => {
    const resolved = kind === 'tool' ? registry.resolveTool(name) : registry.resolveCommand(name);
    return resolved === undefined ? isOwner(asking) : isOffered(asking, resolved);
  };
  /** Who cannot be asked is told of by its state. */
  const askAll = () => Promise.allSettled(registry.listAvailable().map((name) => keeper.ask(name)));

  return {
    stats,
    async health() {
      const all = views.names().map((name) => views.view(name));
      const meant = all.filter(({ state, untrusted }) => state !== 'disabled' && untrusted === undefined);
      const ready = meant.filter(({ state }) => state === 'ready' || state === 'busy').length;
      const isWell = meant.every(
        ({ state }) => state !== 'failed' && state !== 'backoff' && state !== 'unhealthy',
      );
      return {
        status: isWell ? 'ok' : 'degraded',
        version,
        uptimeMs: Math.round(clock.now() - startedAt),
        plugins: { ready, total: meant.length },
        sandbox: await runtime.sandbox(),
      };
    },
    async plugins({ fresh = false } = {}) {
      if (fresh) await keeper.look();
      return { plugins: views.names().map((name) => views.view(name)), problems: runtime.problems };
    },
    async plugin(name, { ask = false } = {}) {
      if (ask) await keeper.ask(name);
      return views.details(name);
    },
    start: (name) => changed(name, 'start'),
    stop: (name) => changed(name, 'stop'),
    restart: (name) => changed(name, 'restart'),
    async *logs(name, options = {}) {
      views.view(name);
      yield* readLog(books.find(name), options);
    },
    async tools({ ask = false, caller: asking = caller } = {}) {
      if (ask) await askAll();
      const tools = views.tools().filter(({ name }) => isSeen('tool', name, asking));
      const held = await gate.held(tools.map(({ name }) => name));
      if (held.size === 0) return tools;
      return tools.map((view) => {
        const why = held.get(view.name);
        return why === undefined ? view : { ...view, held: why };
      });
    },
    async tool(name, { caller: asking = caller } = {}) {
      const { plugin, own } = await keeper.owner(name, 'tool');
      const found = views.tool(plugin, own);
      if (!isSeen('tool', found.name, asking)) throw notSeen('tool', name);
      return found;
    },
    call: (tool, args = {}, options = {}) => gate.call(tool, args, { caller, ...options }),
    async explain(name, args = {}, { caller: asking = client } = {}) {
      const nameOf = async (kind: 'tool' | 'command') => {
        const { plugin, own } = await keeper.owner(name, kind);
        return { kind, found: (kind === 'tool' ? views.tool(plugin, own) : views.command(plugin, own)).name };
      };
      // What is neither is told as for a tool.
      const { kind, found } = await nameOf('tool').catch((thrown: unknown) =>
        nameOf('command').catch(() => {
          throw toError(thrown);
        }),
      );
      const { verdict, plugin = '', fix, difference } = await gate.explain(found, args, asking, kind);
      return {
        name: found,
        kind,
        plugin,
        caller: asking,
        decision: verdict.kind,
        method: verdict.method,
        reason: verdict.reason,
        rules: ('rules' in verdict && verdict.rules) || [],
        ...(fix !== undefined && { fix }),
        ...(difference !== undefined && { difference }),
      };
    },
    async commands({ ask = false, caller: asking = caller } = {}) {
      if (ask) await askAll();
      return views.commands().filter(({ name }) => isSeen('command', name, asking));
    },
    async command(name, { caller: asking = caller } = {}) {
      const { plugin, own } = await keeper.owner(name, 'command');
      const found = views.command(plugin, own);
      if (!isSeen('command', found.name, asking)) throw notSeen('command', name);
      return found;
    },
    async complete(command, parameter, typed, { caller: asking = caller } = {}) {
      const resolved = registry.resolveCommand(command);
      if (resolved === undefined) throw registry.whyNot(command, 'command');
      if (!isOffered(asking, resolved)) throw notSeen('command', command);
      return resolved.complete(parameter, typed);
    },
    run: (command, args = {}, options = {}) => gate.run(command, args, { caller, ...options }),
    talk(tool, args = {}, options = {}) {
      const talk = new GatedTalk({ registry, gate, stats, clock, newId: nextTalk }, tool, args, {
        caller,
        ...options,
      });
      talks.add(talk);
      void talk.ended.then(() => talks.delete(talk));
      return talk;
    },
    approvals: {
      pending: async () => approvals?.pending() ?? [],
      answer: async (id, approval) => approvals?.answer(id, approval) ?? false,
      onChanged: (listener) => approvals?.onChanged(listener) ?? (() => {}),
    },
    traffic: {
      since: async (seq, filter) => wires.since(seq, filter),
      onEntry: (listener) => wires.onEntry(listener),
      cassette: async (name) => wires.cassette(processOf(name), new Date()),
    },
    recordings: {
      list: async () => recordings.list(),
      start: async (name, file) => recordings.start(processOf(name), file),
      stop: (id) => recordings.stop(id),
    },
    audit: (filter) => auditPage(folders, filter),
    tokens: runtime.tokens,
    consoleLink: () =>
      Promise.reject(new PluglotError('UNSUPPORTED', 'This host has no console. `pluglot up` serves one.')),
    onEvent(listener) {
      const end = hub.add(listener);
      followAudit();
      return () => {
        end();
        followAudit();
      };
    },
    async close() {
      for (const end of detach) end();
      unfollowAudit?.();
      hub.close();
      for (const talk of talks) talk.end();
      await recordings.close();
    },
  };
}

function notSeen(kind: 'tool' | 'command', name: string): PluglotError {
  const shown = name.slice(0, 100);
  return new PluglotError('UNKNOWN_TOOL', `There is no ${kind} "${shown}" that clients are offered.`);
}

/** Not to be guessed, since whoever has one can speak in the conversation. */
function ids(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-t${(count += 1)}`;
}
