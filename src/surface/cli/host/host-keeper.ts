// The plugins of a command's own host: which of them there are, what they have, and why something is not to be had.
import { PluglotError, toError } from '../../../base/error.ts';
import { isNameOf } from '../../../definition/full-name.ts';
import type { Tool } from '../../../definition/tool.ts';
import { findTool as findToolOf, introduced } from '../../../fleet/find-tool.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { stoppedByUser, type Keeper } from '../../../runtime/views/keeper.ts';
import { followFiles, type Followed } from './follow-files.ts';
import type { Gated } from './gated.ts';
import type { InProcess } from './in-process.ts';
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

export interface HostKeeperParts {
  readonly fleet: Fleet;
  /** Puts plugins into the registry, where whoever calls finds them. */
  readonly gated: Gated;
  readonly inProcess: InProcess;
  /** Where its plugins come from, unless one was typed. */
  readonly project: Project | undefined;
  /** Files may change while it lives. */
  readonly isLongLived: boolean;
}

export interface HostKeeper extends Keeper {
  /** Does what the files say now. */
  follow(): Promise<Followed>;
  /** Starts a plugin that has come into the fleet; one that waits for its first call is asked what it has, unless that is known. */
  begin(plugin: Plugin): void;
}

interface FoundTool {
  readonly plugin: string;
  readonly tool: Tool;
}

export function hostKeeper({ fleet, gated, inProcess, project, isLongLived }: HostKeeperParts): HostKeeper {
  const found = () => project?.found ?? [];
  const foundOf = (name: string) => found().find(({ spec }) => spec.name === name);
  const allFound = () => [...found(), ...(project?.discovery.modules ?? [])];
  const problems = () => project?.problems ?? [];
  const runningOf = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  const look = async () => {
    if (!isLongLived || project === undefined) return;
    const added = await project.look();
    const wired = await gated.wired();
    await wired.reloadGate();
    for (const plugin of added) begin(plugin);
  };
  /** How that goes is told by its states. */
  const begin = (plugin: Plugin) => {
    const begun = plugin.spec.lazy === true ? gated.expose(plugin) : plugin.start();
    begun.catch(() => {});
  };
  const isInProcess = (name: string) =>
    runningOf(name) === undefined && foundOf(name) === undefined && inProcess.has(name);
  const pluginOf = async (name: string): Promise<Plugin> => {
    if (runningOf(name) === undefined) await look();
    const plugin = runningOf(name);
    if (plugin !== undefined) return plugin;
    const one = foundOf(name);
    const refusal = one === undefined ? brokenOf(name, problems()) : refusalOf(one);
    throw refusal ?? unknownPlugin(name, project?.discovery.names ?? []);
  };
  const isListed = (tool: string) =>
    fleet.plugins.some((plugin) => plugin.tools().some(({ name }) => isNameOf(tool, plugin.name, name)));
  /** Those that nobody has stopped: a call does not start them. */
  const wanted = async () => {
    const { registry } = await gated.wired();
    return fleet.plugins.filter((plugin) => registry.getPlugin(plugin.name)?.stopped === undefined);
  };
  /** One that was stopped says so. */
  const checkStopped = async (name: string, kind: 'tool' | 'command') => {
    const { registry } = await gated.wired();
    const isThere =
      (kind === 'tool' ? registry.resolveTool(name) : registry.resolveCommand(name)) !== undefined;
    const refusal = isThere ? undefined : registry.whyNot(name, kind);
    if (refusal?.code === 'PLUGIN_STOPPED') throw refusal;
  };
  const findTool = async (name: string): Promise<FoundTool> => {
    await checkStopped(name, 'tool');
    const exposed = (await gated.wired()).registry.resolveTool(name);
    if (exposed?.clientName === name) return { plugin: exposed.plugin, tool: exposed.tool };
    const mine = await inProcess.findTool(name, 'modules');
    if (mine !== undefined && mine.tool.name !== name) return mine;
    const plugins = await wanted();
    const having = () => plugins.filter((plugin) => plugin.tools().some((tool) => tool.name === name));
    try {
      const { plugin, tool } = await findToolOf(plugins, name);
      if (mine === undefined) return { plugin: plugin.name, tool };
    } catch (thrown) {
      const isUnknown = thrown instanceof PluglotError && thrown.code === 'UNKNOWN_TOOL';
      const other =
        isUnknown && having().length === 0
          ? (mine ?? (await inProcess.findTool(name, 'builtIns')))
          : undefined;
      if (other !== undefined) return other;
      throw isUnknown ? suggesting(thrown, name, await inProcess.toolNames()) : thrown;
    }
    throw severalHave('tool', name, [...having().map((plugin) => plugin.name), mine.plugin]);
  };
  const toolOf = async (name: string): Promise<FoundTool> => {
    if (!isListed(name)) await look();
    try {
      return await findTool(name);
    } catch (thrown) {
      if (fleet.plugins.length + allFound().length + problems().length === 0) throw unknownToolOfNobody(name);
      const error = withFailures(toError(thrown), name, inProcess.failures());
      throw explained(error, name, allFound(), problems());
    }
  };
  const commandOf = async (name: string) => {
    await checkStopped(name, 'command');
    const known = await inProcess.findCommand(name);
    if (known !== undefined) return known;
    const unknown = withFailures(
      unknownCommand(name, await inProcess.commandNames()),
      name,
      inProcess.failures(),
    );
    throw explained(unknown, name, allFound(), problems());
  };
  return {
    look,
    follow: () => followFiles({ fleet, project, look, begin, isResting: (name) => gated.isStopped(name) }),
    begin,
    async ask(name) {
      const { stopped, profile } = (await gated.wired()).registry.getPlugin(name) ?? {};
      if (stopped !== undefined && profile === undefined) throw stopped;
      // What it was asked before is known.
      if (stopped !== undefined) return;
      if (isInProcess(name)) return inProcess.expose(name);
      const plugin = await pluginOf(name);
      await introduced(plugin);
      await gated.expose(plugin);
    },
    async owner(name, kind) {
      if (kind === 'command') {
        const { plugin, command } = await commandOf(name);
        return { plugin, own: command.name };
      }
      const { plugin, tool } = await toolOf(name);
      const running = runningOf(plugin);
      if (running !== undefined) await gated.expose(running);
      return { plugin, own: tool.name };
    },
    async start(name) {
      await look();
      await gated.wake(name);
      if (isInProcess(name)) return inProcess.expose(name);
      // One that runs goes on as it was started.
      const { state } = (await pluginOf(name)).status;
      if (state === 'stopped' || state === 'failed' || state === 'backoff') await project?.renew(name);
      const plugin = await pluginOf(name);
      await plugin.start();
      await gated.expose(plugin);
    },
    async stop(name) {
      const plugin = isInProcess(name) ? undefined : await pluginOf(name);
      await gated.unexpose(name, stoppedByUser(name));
      await plugin?.stop();
    },
    async restart(name) {
      await look();
      await gated.wake(name);
      if (isInProcess(name)) return inProcess.renew(name);
      await pluginOf(name);
      const isNew = (await project?.renew(name)) === true;
      const plugin = await pluginOf(name);
      await (isNew ? plugin.start() : plugin.restart());
      await gated.expose(plugin);
    },
    changeOf(name) {
      const plugin = runningOf(name);
      return plugin && project?.changeOf(plugin);
    },
  };
}
