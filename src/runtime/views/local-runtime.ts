// A runtime of this process, with the interface that a remote one has too.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { shellWord } from '../../base/text.ts';
import type { Call } from '../../definition/call.ts';
import { type Caller, type CommandSandbox, type Execution, isOwner } from '../../definition/caller.ts';
import { failureOf } from '../../definition/failure.ts';
import type { FleetEvent } from '../../fleet/fleet.ts';
import type { TrafficLimits } from '../../fleet/recording/traffic.ts';
import { isOffered, type ResolvedCommand, type ResolvedTool } from '../../fleet/registry/contract.ts';
import type { RegistryChange } from '../../fleet/registry/registry.ts';
import type { ApprovalQueue } from '../../gate/approval/queue.ts';
import { type AuditRecord, readAudit } from '../../gate/audit/read-audit.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { ApiAuditFilter, ApiCall, AuditPage, LogsOptions, RuntimeApi, ToolCallOptions } from '../api.ts';
import { deferredCall } from '../deferred-call.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { argumentsOf } from '../typed-arguments.ts';
import { CallStats } from './call-stats.ts';
import { EventHub } from './event-hub.ts';
import { GatedTalk } from './gated-talk.ts';
import { LogBooks, readLog } from './log-books.ts';
import { pluginViews } from './plugin-views.ts';
import { Recordings, Wires } from './wires.ts';

export interface RuntimeApiExtras {
  readonly version: string;
  /** The caller of calls that name none. @default the program */
  readonly caller?: Caller;
  /** The queue that the runtime was made with. */
  readonly approvals?: ApprovalQueue;
  /** Whether the messages on the wires are kept for people to look at; limits mean yes. @default false */
  readonly traffic?: boolean | TrafficLimits;
  readonly lifecycle: Lifecycle;
  /** Whether built-in plugins are asked with the others for what they have. @default true */
  readonly asksBuiltIns?: boolean;
  /** @default the real one */
  readonly clock?: Clock;
}

const client: Caller = { kind: 'client' };

export interface LocalRuntimeApi extends RuntimeApi {
  /** What was counted since it was made. */
  readonly stats: CallStats;
  /** Whether the logs of this plugin are followed. */
  isFollowed(plugin: string): boolean;
}

/** To be made before plugins are exposed: what happened before is not seen. */
export function runtimeApi(runtime: RuntimeParts, extras: RuntimeApiExtras): LocalRuntimeApi {
  const { registry, gate, fleet, folders, secrets } = runtime;
  const { version, lifecycle, approvals, traffic = false, clock = systemClock, asksBuiltIns = true } = extras;
  const { caller = { kind: 'program' } } = extras;
  const startedAt = clock.now();
  const since = new Map<string, number>();
  const stats = new CallStats(clock, (plugin) => hub.pluginBusy(plugin));
  const views = pluginViews({ runtime, stats, since, changeOf: (name) => lifecycle.changeOf(name) });
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
  const fleetChanged = (event: FleetEvent) => {
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
    fleet.onEvent(fleetChanged),
    registry.onChanged(registryChanged),
    runtime.onLog((logged) =>
      books.write(logged, (entry) => hub.emit({ kind: 'log', plugin: logged.plugin, entry })),
    ),
    approvals?.onChanged((pending) => hub.emit({ kind: 'approvals', pending })) ?? (() => {}),
  ];
  let unfollowAudit: (() => void) | undefined;
  /** Only with listeners, since every event is masked for them. */
  const followAudit = () => {
    if (!hub.isHeard) unfollowAudit?.();
    unfollowAudit = hub.isHeard
      ? (unfollowAudit ??
        gate.observe({
          audited: (event) => hub.emit({ kind: 'audit', at: new Date().toISOString(), event }),
        }))
      : undefined;
  };
  const followers = new Map<string, number>();
  const logsOf = async function* (plugin: string, options: LogsOptions) {
    followers.set(plugin, (followers.get(plugin) ?? 0) + 1);
    try {
      yield* readLog(books.find(plugin), options);
    } finally {
      followers.set(plugin, (followers.get(plugin) ?? 1) - 1);
    }
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
    // A start may find it in the files.
    if (action !== 'start') views.view(name);
    await lifecycle[action](name);
    return views.view(name);
  };
  /** A tool that is switched off cannot be called, but the owner sees it. */
  const isSeen = (kind: 'tool' | 'command', name: string, asking: Caller) => {
    const resolved = kind === 'tool' ? registry.resolveTool(name) : registry.resolveCommand(name);
    return resolved === undefined ? isOwner(asking) : isOffered(asking, resolved);
  };
  /** A failure shows in the state of the plugin. */
  const askAll = () => {
    const isAsked = (name: string) => asksBuiltIns || registry.getPlugin(name)?.origin !== 'built-in';
    return Promise.allSettled(
      registry
        .listAvailable()
        .filter(isAsked)
        .map((name) => lifecycle.ask(name)),
    );
  };
  const find = (name: string, kind: 'tool' | 'command') =>
    kind === 'tool' ? registry.resolveTool(name) : registry.resolveCommand(name);
  /** A name that is not known may be in files that changed since they were read. */
  const resolveTool = async (name: string) => {
    if (registry.resolveTool(name) === undefined) await lifecycle.lookAgain();
    return registry.resolve(name, 'tool');
  };
  const resolveCommand = async (name: string) => {
    if (registry.resolveCommand(name) === undefined) await lifecycle.lookAgain();
    return registry.resolve(name, 'command');
  };
  const resolve = (name: string, kind: 'tool' | 'command'): Promise<ResolvedTool | ResolvedCommand> =>
    kind === 'tool' ? resolveTool(name) : resolveCommand(name);
  const begin = (
    kind: 'tool' | 'command',
    name: string,
    args: JsonObject,
    options: ToolCallOptions,
  ): ApiCall => {
    const { pairs, logs, ...rest } = options;
    const gated = { caller, ...rest };
    const make = (known: string, all: JsonObject) =>
      kind === 'tool' ? gate.call(known, all, gated) : gate.run(known, all, gated);
    if (pairs === undefined && logs === undefined && find(name, kind) !== undefined) return make(name, args);
    let running: Call | undefined;
    const call = deferredCall({
      tool: name,
      clock,
      signal: rest.signal,
      onCancel: (reason) => running?.cancel(reason),
    });
    const run = async () => {
      const found = await resolve(name, kind).catch(async (thrown: unknown) => {
        // The gate records the call of an unknown name.
        if (!call.isSettled && find(name, kind) === undefined) await make(name, args).outcome;
        throw toError(thrown);
      });
      if (call.isSettled) return;
      const typed =
        pairs && argumentsOf({ pairs }, found.kind === 'tool' ? found.tool.inputSchema : undefined);
      const endLogs = logs && followLogs(found.plugin, logs);
      running = make(found.name, { ...args, ...typed });
      call.passOn(running);
      call.begun({ name: found.name, plugin: found.plugin });
      const outcome = await running.outcome;
      await endLogs?.();
      call.end(outcome);
    };
    run().catch((thrown: unknown) => call.fail(failureOf(thrown)));
    return call;
  };
  /** Until the returned function is called, which resolves when all entries were passed on. */
  const followLogs = (plugin: string, { since: from, onEntry }: NonNullable<ToolCallOptions['logs']>) => {
    const over = new AbortController();
    const follow = async () => {
      for await (const entry of logsOf(plugin, { follow: true, since: from, signal: over.signal }))
        onEntry(entry);
    };
    const followed = follow();
    return async () => {
      over.abort();
      await followed;
    };
  };

  return {
    stats,
    isFollowed: (plugin) => (followers.get(plugin) ?? 0) > 0,
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
      if (fresh) await lifecycle.look();
      return { plugins: views.names().map((name) => views.view(name)), problems: runtime.problems };
    },
    async plugin(name, { ask = false } = {}) {
      if (ask) await lifecycle.ask(name);
      return views.details(name);
    },
    start: (name) => changed(name, 'start'),
    stop: (name) => changed(name, 'stop'),
    restart: (name) => changed(name, 'restart'),
    async *logs(name, options = {}) {
      views.view(name);
      yield* logsOf(name, options);
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
      const { plugin, tool } = await resolveTool(name);
      const found = views.tool(plugin, tool.name);
      if (!isSeen('tool', found.name, asking)) throw notSeen('tool', name);
      return found;
    },
    call: (tool, args = {}, options = {}) => begin('tool', tool, args, options),
    async explain(name, args = {}, { caller: asking = client } = {}) {
      // The failure of a name that is neither is that of a tool.
      const resolved = await resolve(name, 'tool').catch((thrown: unknown) =>
        resolve(name, 'command').catch(() => {
          throw toError(thrown);
        }),
      );
      const { kind, plugin, name: found } = resolved;
      const { verdict, fix, difference } = await gate.explain(found, args, asking, kind);
      const execution = verdict.kind === 'allow' ? verdict.execution : undefined;
      return {
        name: found,
        kind,
        plugin,
        caller: asking,
        decision: verdict.kind,
        method: verdict.method,
        reason: verdict.reason,
        rules: ('rules' in verdict && verdict.rules) || [],
        ...(execution !== undefined && { runs: describeExecution(execution) }),
        ...(fix !== undefined && { fix }),
        ...(difference !== undefined && { difference }),
      };
    },
    async commands({ ask = false, caller: asking = caller } = {}) {
      if (ask) await askAll();
      return views.commands().filter(({ name }) => isSeen('command', name, asking));
    },
    async command(name, { caller: asking = caller } = {}) {
      const { plugin, command } = await resolveCommand(name);
      const found = views.command(plugin, command.name);
      if (!isSeen('command', found.name, asking)) throw notSeen('command', name);
      return found;
    },
    async complete(command, parameter, typed, { caller: asking = caller } = {}) {
      const resolved = registry.resolveCommand(command);
      if (resolved === undefined) throw registry.whyNot(command, 'command');
      if (!isOffered(asking, resolved)) throw notSeen('command', command);
      return resolved.complete(parameter, typed);
    },
    run: (command, args = {}, options = {}) => begin('command', command, args, options),
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

/** Not to be guessed, since everyone with an id can speak in the conversation. */
function ids(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-t${(count += 1)}`;
}

const USUAL = 200;
const MOST = 5000;

async function auditPage(
  { audit, auditIndex: index, sentHeads }: RuntimeParts['folders'],
  filter: ApiAuditFilter = {},
): Promise<AuditPage> {
  const { tool, plugin, caller, since, denied, limit = USUAL, verify = false } = filter;
  const records: AuditRecord[] = [];
  for await (const record of readAudit(audit, {
    ...(tool !== undefined && { tool }),
    ...(plugin !== undefined && { plugin }),
    ...(caller !== undefined && { caller }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(denied === true && { deniedOnly: true }),
    last: Math.min(limit, MOST),
  }))
    records.push(record);
  if (!verify) return { records };
  const verified = await verifyAudit(audit, { index, sentHeads });
  return verified.ok && verified.files === 0 ? { records } : { records, verified };
}

/** One sentence for each command. */
export function describeExecution(execution: Execution): readonly string[] {
  if (execution.kind === 'as-written') return ['in bash as it is written, outside of the sandbox'];
  return execution.steps.flatMap(({ pipeline }) =>
    pipeline.map(({ words, sandbox }) => `${words.map(shellWord).join(' ')}: ${describeSandbox(sandbox)}`),
  );
}

function describeSandbox(sandbox: CommandSandbox | undefined): string {
  if (sandbox === undefined) return 'without a shell, outside of the sandbox';
  const { access, network, folders } = sandbox;
  return [
    `in the sandbox, project ${access}`,
    network ? 'with network' : 'no network',
    ...folders.map((folder) => `${folder.path} ${folder.access}`),
  ].join(', ');
}
