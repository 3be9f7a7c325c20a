// A fleet of the command's own, and what may not be started beside it.
import { systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { within } from '../../../base/within.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import type { Found } from '../../../fleet/discovery/discover.ts';
import { maskedEntry } from '../../../fleet/discovery/secrets.ts';
import { introduced } from '../../../fleet/find-tool.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Call } from '../../../fleet/plugin/call.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Launcher } from '../../../fleet/supervisor/launcher.ts';
import { unlessInterrupted } from '../interruption.ts';
import type { Host, HostCall, PluginView, Problem, ToolView } from './host.ts';
import type { Project } from './project.ts';
import { brokenOf, explained, refusalOf, unknownPlugin, unknownToolOfNobody } from './refusals.ts';

export interface OwnHostParts {
  readonly fleet: Fleet;
  readonly launcher: Launcher;
  /** Where its plugins come from, unless one was typed. */
  readonly project: Project | undefined;
  /** Files may change while it lives. */
  readonly isLongLived: boolean;
}

export function ownHost({ fleet, launcher, project, isLongLived }: OwnHostParts): Host {
  const found = () => project?.found ?? [];
  const foundOf = (name: string) => found().find(({ spec }) => spec.name === name);
  const runningOf = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  /** How many conversations go on with each. */
  const talks = new Map<string, number>();
  const look = async () => {
    if (!isLongLived || project === undefined) return;
    const added = await project.look((name) => (talks.get(name) ?? 0) > 0);
    // How that goes is told by its states.
    for (const plugin of added) if (plugin.spec.lazy !== true) plugin.start().catch(() => {});
  };
  const pluginOf = async (name: string): Promise<Plugin> => {
    if (runningOf(name) === undefined) await look();
    const plugin = runningOf(name);
    if (plugin !== undefined) return plugin;
    const one = foundOf(name);
    const refusal = one === undefined ? brokenOf(name, project?.problems ?? []) : refusalOf(one);
    throw (
      refusal ??
      unknownPlugin(
        name,
        found().map(({ spec }) => spec.name),
      )
    );
  };
  const view = (plugin: Plugin) => runningView(plugin, foundOf(plugin.name), project?.changeOf(plugin));
  const isListed = (tool: string) =>
    fleet.plugins.some((plugin) =>
      plugin.tools().some(({ name }) => name === tool || `${plugin.name}__${name}` === tool),
    );
  return {
    async plugins() {
      await look();
      const others = fleet.plugins.filter(({ name }) => foundOf(name) === undefined);
      return [
        ...found().map((one) => {
          const plugin = runningOf(one.spec.name);
          return plugin === undefined ? viewOf(one) : view(plugin);
        }),
        ...others.map(view),
      ];
    },
    problems: () => Promise.resolve(project?.problems ?? []),
    async tools({ ask = true } = {}) {
      if (ask) await look();
      const problems: Problem[] = [];
      await Promise.all(
        (ask ? fleet.plugins : []).map(async (plugin) => {
          try {
            await introduced(plugin);
          } catch (thrown) {
            const error = toError(thrown);
            const code = error instanceof PluglotError ? { code: error.code } : {};
            problems.push({ who: plugin.name, message: error.message, ...code });
          }
        }),
      );
      for (const one of found()) {
        const refusal = refusalOf(one);
        if (refusal?.code === 'NOT_TRUSTED' && runningOf(one.spec.name) === undefined)
          problems.push({ who: one.spec.name, message: refusal.message, code: refusal.code });
      }
      return { tools: toolsOf(fleet), problems };
    },
    async findTool(name) {
      if (!isListed(name)) await look();
      const problems = project?.problems ?? [];
      if (fleet.plugins.length + found().length + problems.length === 0) throw unknownToolOfNobody(name);
      try {
        const { plugin, tool } = await fleet.findTool(name);
        return { plugin: plugin.name, name, tool };
      } catch (thrown) {
        throw explained(toError(thrown), name, found(), problems);
      }
    },
    async inspect(name) {
      const plugin = await pluginOf(name);
      const manifest = plugin.manifest ?? (await plugin.start());
      const health = await plugin.health();
      return { plugin: view(plugin), manifest: withoutSecrets(manifest), health };
    },
    async call(request, onEvent, signal) {
      const plugin = await pluginOf(request.plugin);
      const call = plugin.call(request.tool, request.args, optionsOf(request, signal));
      return hear(call, onEvent);
    },
    async talk(request, onEvent, signal) {
      const plugin = await pluginOf(request.plugin);
      const talk = plugin.talk(request.tool, request.args, optionsOf(request, signal));
      talks.set(plugin.name, (talks.get(plugin.name) ?? 0) + 1);
      void talk.ended.then(() => talks.set(plugin.name, (talks.get(plugin.name) ?? 1) - 1));
      return {
        first: await hear(talk.opening, onEvent),
        async say(content, onEvent, signal) {
          const call = talk.say(content);
          const cancel = () => call.cancel();
          signal.addEventListener('abort', cancel, { once: true });
          try {
            return await hear(call, onEvent);
          } finally {
            signal.removeEventListener('abort', cancel);
          }
        },
        async end() {
          talk.end();
          await talk.ended;
        },
      };
    },
    async logs(name, { follow, since = 0, signal }, onEntry) {
      const { logs } = await pluginOf(name);
      for (const entry of logs.entries) if (entry.at >= since) onEntry(entry);
      if (!follow || signal.aborted) return;
      const unfollow = logs.follow(onEntry);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      unfollow();
    },
    async start(name) {
      await look();
      // One that runs goes on as it was started.
      const { state } = (await pluginOf(name)).status;
      if (state === 'stopped' || state === 'failed' || state === 'backoff') await project?.renew(name);
      const plugin = await pluginOf(name);
      await plugin.start();
      return view(plugin);
    },
    async stop(name) {
      const plugin = await pluginOf(name);
      await plugin.stop();
      return view(plugin);
    },
    async restart(name) {
      await look();
      await pluginOf(name);
      const isNew = (await project?.renew(name)) === true;
      const plugin = await pluginOf(name);
      await (isNew ? plugin.start() : plugin.restart());
      return view(plugin);
    },
    async close(signal) {
      const stopped = fleet.close();
      if (signal !== undefined)
        await unlessInterrupted(signal, stopped).catch(() => within(stopped, PATIENCE_MS, systemClock));
      else await stopped;
      // Ends what is still there at once.
      await launcher.close();
      await stopped;
    },
  };
}

/** How long plugins get to end in order once the user has interrupted. */
const PATIENCE_MS = 1500;

async function hear(call: Call, onEvent: Parameters<Host['call']>[1]) {
  for await (const event of call) onEvent(event);
  return call.outcome;
}

function optionsOf({ timeoutMs, context }: HostCall, signal: AbortSignal) {
  return {
    signal,
    caller: 'user',
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(context === undefined ? {} : { context }),
  };
}

function toolsOf({ plugins }: Fleet): ToolView[] {
  const all = plugins.flatMap((plugin) => plugin.tools().map((tool) => ({ plugin: plugin.name, tool })));
  const counts = new Map<string, number>();
  for (const { tool } of all) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  return all.map(({ plugin, tool }) => ({
    plugin,
    name: counts.get(tool.name) === 1 ? tool.name : `${plugin}__${tool.name}`,
    tool,
  }));
}

function viewOf(found: Found): PluginView {
  const { spec, trust, disabled } = found;
  // What is not to run anyway needs no trust.
  if (disabled !== undefined) return { ...still(spec, found), state: 'disabled' };
  if (trust.trusted) return still(spec, found);
  const { reason, wayOut } = trust;
  return { ...still(spec, found), untrusted: { reason, wayOut } };
}

function runningView(plugin: Plugin, found: Found | undefined, changed: string | undefined): PluginView {
  const { state, since, reason, restarts, pids } = plugin.status;
  return {
    ...still(plugin.spec, found),
    dialect: plugin.manifest?.dialect ?? plugin.spec.dialect ?? 'not asked yet',
    state,
    sinceMs: Date.now() - since,
    restarts,
    pids,
    ...(reason === undefined ? {} : { reason: reason.message }),
    ...(plugin.manifest === undefined ? {} : { tools: plugin.tools().length }),
    ...(changed === undefined ? {} : { changed }),
  };
}

function still(spec: PluginSpec, found: Found | undefined): PluginView {
  const { start } = spec;
  return {
    name: spec.name,
    dialect: spec.dialect ?? 'not asked yet',
    state: 'stopped',
    sinceMs: 0,
    restarts: 0,
    pids: [],
    command: shownCommand(start),
    ...(found === undefined ? {} : { origin: placeOf(found) }),
  };
}

/** What it was told at its start comes back from it. */
function withoutSecrets(manifest: Manifest): Manifest {
  const { configApplied: applied } = manifest;
  if (applied === undefined) return manifest;
  return { ...manifest, configApplied: maskedEntry({ config: { applied } }).config?.['applied'] ?? null };
}

/** People show their terminals to others. */
export function shownCommand(start: PluginSpec['start']): string {
  if (start.kind === 'http') return maskedEntry({ url: start.shown ?? start.url }).url ?? '';
  const { command, args = [], shown } = start;
  const [program, ...words] = shown ?? [command, ...args];
  return [program, ...(maskedEntry({ args: words }).args ?? [])].join(' ');
}

function placeOf({ origin: { file, line } }: Found): string {
  return line === undefined ? file : `${file}:${line}`;
}
