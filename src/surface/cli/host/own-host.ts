// A fleet of the command's own, and what may not be started beside it.
import { systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { within } from '../../../base/within.ts';
import { describeProblem, type Problem as FoundProblem } from '../../../fleet/discovery/problem.ts';
import { introduced } from '../../../fleet/find-tool.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Launcher } from '../../../fleet/supervisor/launcher.ts';
import { unlessInterrupted } from '../interruption.ts';
import { followFiles, type Followed } from './follow-files.ts';
import type { Gated } from './gated.ts';
import type { Host, HostCall, HostRun, PluginView, Problem, ToolView } from './host.ts';
import { problemOf, type InProcess } from './in-process.ts';
import { hear, ownTalk } from './own-talk.ts';
import { withoutSecrets } from '../../../runtime/views/shown-command.ts';
import { namedTools, runningView, viewOf } from './plugin-views.ts';
import type { Project } from './project.ts';
import {
  brokenOf,
  explained,
  refusalOf,
  severalHave,
  suggesting,
  unknownCommand,
  unknownPlugin,
  unknownToolOfNobody,
  withFailures,
} from './refusals.ts';

export interface OwnHostParts {
  readonly fleet: Fleet;
  readonly launcher: Launcher;
  /** What every call passes. */
  readonly gated: Gated;
  readonly inProcess: InProcess;
  /** Where its plugins come from, unless one was typed. */
  readonly project: Project | undefined;
  /** What of the files of the gate could not be used, or maybe not as meant. */
  readonly gateProblems?: () => Promise<readonly FoundProblem[]>;
  /** Files may change while it lives. */
  readonly isLongLived: boolean;
}

export interface OwnedHost extends Host {
  /** Does what the files say now. */
  follow(): Promise<Followed>;
}

export function ownHost(parts: OwnHostParts): OwnedHost {
  const { fleet, launcher, gated, inProcess, project, gateProblems, isLongLived } = parts;
  const found = () => project?.found ?? [];
  const foundOf = (name: string) => found().find(({ spec }) => spec.name === name);
  const allFound = () => [...found(), ...(project?.discovery.modules ?? [])];
  const runningOf = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  /** How many conversations go on with each. */
  const talks = new Map<string, number>();
  /** Those that somebody does not want to run: a call does not start them. */
  const resting = new Set<string>();
  const look = async () => {
    if (!isLongLived || project === undefined) return;
    const added = await project.look((name) => (talks.get(name) ?? 0) > 0);
    // How that goes is told by its states.
    for (const plugin of added) if (plugin.spec.lazy !== true) plugin.start().catch(() => {});
  };
  const isInProcess = (name: string) =>
    runningOf(name) === undefined && foundOf(name) === undefined && inProcess.has(name);
  const pluginOf = async (name: string): Promise<Plugin> => {
    if (runningOf(name) === undefined) await look();
    const plugin = runningOf(name);
    if (plugin !== undefined) return plugin;
    const one = foundOf(name);
    const refusal = one === undefined ? brokenOf(name, project?.problems ?? []) : refusalOf(one);
    throw refusal ?? unknownPlugin(name, project?.discovery.names ?? []);
  };
  const view = (plugin: Plugin) => runningView(plugin, foundOf(plugin.name), project?.changeOf(plugin));
  const isListed = (tool: string) =>
    fleet.plugins.some((plugin) =>
      plugin.tools().some(({ name }) => name === tool || `${plugin.name}__${name}` === tool),
    );
  const findTool = async (name: string): Promise<ToolView> => {
    // Who looks for a tool calls it: what that needs is loaded while plugins start. Why it cannot be is told by the call.
    gated.wired().catch(() => {});
    const mine = await inProcess.findTool(name, 'modules');
    if (mine !== undefined && mine.tool.name !== name) return mine;
    try {
      const { plugin, tool } = await fleet.findTool(name);
      if (mine === undefined) return { plugin: plugin.name, name, tool };
    } catch (thrown) {
      const isUnknown = thrown instanceof PluglotError && thrown.code === 'UNKNOWN_TOOL';
      const having = fleet.plugins.filter((plugin) => plugin.tools().some((tool) => tool.name === name));
      const other =
        isUnknown && having.length === 0 ? (mine ?? (await inProcess.findTool(name, 'builtIns'))) : undefined;
      if (other !== undefined) return other;
      throw isUnknown ? suggesting(thrown, name, await inProcess.toolNames()) : thrown;
    }
    const having = fleet.plugins.filter((plugin) => plugin.tools().some((tool) => tool.name === name));
    throw severalHave(name, [...having.map((plugin) => plugin.name), mine.plugin]);
  };
  return {
    follow: () => followFiles({ fleet, project, look, resting, talks }),
    async plugins({ all = false } = {}) {
      await look();
      const others = fleet.plugins.filter(({ name }) => foundOf(name) === undefined);
      const views = [
        ...found().map((one) => {
          const plugin = runningOf(one.spec.name);
          return plugin === undefined ? viewOf(one) : view(plugin);
        }),
        ...(await inProcess.views({ all })),
      ];
      return [...inOrder(views, project?.discovery.names ?? []), ...others.map(view)];
    },
    async problems() {
      return unique([...(project?.problems ?? []), ...((await gateProblems?.()) ?? [])]);
    },
    async tools({ ask = true, all = false } = {}) {
      if (ask) await look();
      const problems: Problem[] = [];
      await Promise.all(
        (ask ? fleet.plugins : []).map(async (plugin) => {
          try {
            await introduced(plugin);
          } catch (thrown) {
            problems.push(problemOf(plugin.name, toError(thrown)));
          }
        }),
      );
      for (const one of found()) {
        const refusal = refusalOf(one);
        if (refusal?.code === 'NOT_TRUSTED' && runningOf(one.spec.name) === undefined)
          problems.push(problemOf(one.spec.name, refusal));
      }
      if (ask) problems.push(...(await inProcess.exposeAll({ all })));
      const ofFleet = fleet.plugins.flatMap((plugin) =>
        plugin.tools().map((tool) => ({ plugin: plugin.name, tool })),
      );
      const others = (await inProcess.tools()).filter(({ plugin }) => all || !inProcess.isBuiltIn(plugin));
      return { tools: namedTools([...ofFleet, ...others]), problems };
    },
    async findTool(name) {
      if (!isListed(name)) await look();
      const problems = project?.problems ?? [];
      try {
        return await findTool(name);
      } catch (thrown) {
        if (fleet.plugins.length + allFound().length + problems.length === 0) throw unknownToolOfNobody(name);
        throw explained(
          withFailures(toError(thrown), name, inProcess.failures()),
          name,
          allFound(),
          problems,
        );
      }
    },
    async commands() {
      await look();
      return { commands: await inProcess.commands(), problems: await inProcess.exposeAll() };
    },
    async findCommand(name) {
      const command = await inProcess.findCommand(name);
      if (command !== undefined) return command;
      const names = (await inProcess.commands()).map((one) => one.name);
      const unknown = withFailures(unknownCommand(name, names), name, inProcess.failures());
      throw explained(unknown, name, allFound(), project?.problems ?? []);
    },
    async complete(name, parameter, typed) {
      const found = await inProcess.findCommand(name);
      const { registry } = await gated.wired();
      return (await registry.resolveCommand(found?.name ?? name)?.complete(parameter, typed)) ?? [];
    },
    async run(request, onEvent, signal) {
      const { run } = await gated.wired();
      return hear(run(request.command, request.args, optionsOf(request, signal)), onEvent);
    },
    async inspect(name) {
      if (isInProcess(name)) return inProcess.inspect(name);
      const plugin = await pluginOf(name);
      const manifest = plugin.manifest ?? (await plugin.start());
      const health = await plugin.health();
      return { plugin: view(plugin), manifest: withoutSecrets(manifest), health };
    },
    async call(request, onEvent, signal) {
      const options = optionsOf(request, signal);
      if (isInProcess(request.plugin)) return gated.callExposed(request.plugin, request, options, onEvent);
      const plugin = await pluginOf(request.plugin);
      // It says itself that it does not run.
      if (resting.has(plugin.name)) return hear(plugin.call(request.tool, request.args, options), onEvent);
      return gated.call(plugin, request, options, onEvent);
    },
    async talk(request, onEvent, signal) {
      const { plugin } = request;
      if (!isInProcess(plugin)) await gated.expose(await pluginOf(plugin));
      const talk = await gated.talkExposed(plugin, request, optionsOf(request, signal));
      talks.set(plugin, (talks.get(plugin) ?? 0) + 1);
      void talk.ended.then(() => talks.set(plugin, (talks.get(plugin) ?? 1) - 1));
      return ownTalk(talk, onEvent);
    },
    async logs(name, { follow, since = 0, signal }, onEntry) {
      // What those in this process say is told as they say it.
      const logs = isInProcess(name) ? undefined : (await pluginOf(name)).logs;
      for (const entry of logs?.entries ?? []) if (entry.at >= since) onEntry(entry);
      if (!follow || signal.aborted) return;
      const unfollow = logs?.follow(onEntry);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      unfollow?.();
    },
    async start(name) {
      await look();
      resting.delete(name);
      if (isInProcess(name)) {
        await inProcess.expose(name);
        return inProcess.view(name);
      }
      // One that runs goes on as it was started.
      const { state } = (await pluginOf(name)).status;
      if (state === 'stopped' || state === 'failed' || state === 'backoff') await project?.renew(name);
      const plugin = await pluginOf(name);
      await plugin.start();
      return view(plugin);
    },
    async stop(name) {
      if (isInProcess(name)) {
        await inProcess.unexpose(name);
        return inProcess.view(name);
      }
      const plugin = await pluginOf(name);
      resting.add(name);
      await plugin.stop();
      return view(plugin);
    },
    async restart(name) {
      await look();
      resting.delete(name);
      if (isInProcess(name)) {
        await inProcess.unexpose(name);
        await inProcess.expose(name);
        return inProcess.view(name);
      }
      await pluginOf(name);
      const isNew = (await project?.renew(name)) === true;
      const plugin = await pluginOf(name);
      await (isNew ? plugin.start() : plugin.restart());
      return view(plugin);
    },
    async close(signal) {
      const stopped = Promise.all([gated.close(), fleet.close()]);
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

function optionsOf({ timeoutMs, context }: HostCall | HostRun, signal: AbortSignal) {
  return {
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(context === undefined ? {} : { context }),
  };
}

/** The same may be told by whoever looks for plugins and by the gate. */
function unique(problems: readonly FoundProblem[]): FoundProblem[] {
  const known = new Map(problems.map((problem) => [describeProblem(problem), problem]));
  return [...known.values()];
}

function inOrder(views: readonly PluginView[], names: readonly string[]): PluginView[] {
  const places = new Map(names.map((name, index) => [name, index]));
  const placeOf = ({ name }: PluginView) => places.get(name) ?? Infinity;
  return views.toSorted((one, other) => placeOf(one) - placeOf(other) || 0);
}
