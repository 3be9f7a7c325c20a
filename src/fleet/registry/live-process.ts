// A plugin with processes of its own that is exposed: it is in the fleet for as long.
import { isDeepStrictEqual } from 'node:util';
import { Emitter } from '../../base/emitter.ts';
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { profileOf } from '../bridge/profile.ts';
import type { Fleet } from '../fleet.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { LivePlugin } from './live-plugin.ts';

/** @throws PluglotError why it cannot be started; the fleet does not have it then */
export async function startProcess(
  spec: PluginSpec,
  fleet: Fleet,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  const isConfigured = spec.config !== undefined || Object.keys(config).length > 0;
  const plugin = fleet.add(isConfigured ? { ...spec, config } : spec);
  const leave = async () => {
    if (fleet.plugins.includes(plugin)) await fleet.remove(plugin.name);
  };
  try {
    await untilAborted(plugin, signal, () => introduce(plugin));
  } catch (error) {
    await leave();
    throw error;
  }
  return liveProcess(plugin, leave);
}

/** One that somebody else has put into a fleet stays there. */
export async function startRegistered(
  plugin: Plugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  const isSame = Object.keys(config).length === 0 || isDeepStrictEqual(config, plugin.spec.config);
  try {
    await untilAborted(plugin, signal, () => (isSame ? introduce(plugin) : plugin.configure(config)));
  } catch (error) {
    await plugin.stop();
    throw error;
  }
  return liveProcess(plugin, () => plugin.stop());
}

/** One that is to be started by its first call is asked once what it has, then rests. */
async function introduce(plugin: Plugin): Promise<void> {
  if (plugin.spec.lazy !== true) return void (await plugin.start());
  if (plugin.manifest !== undefined) return;
  await plugin.start();
  // Somebody may have called it by now.
  void plugin.rest();
}

async function untilAborted(
  plugin: Plugin,
  signal: AbortSignal,
  start: () => Promise<unknown>,
): Promise<void> {
  const giveUp = () => void plugin.stop();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const started = start();
    if (signal.aborted) giveUp();
    await started;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function liveProcess(plugin: Plugin, leave: () => Promise<void>): LivePlugin {
  const identity = { name: plugin.name, version: '0.0.0' };
  const changes = new Emitter<void>();
  // A model asks for a facet as for any tool.
  const told = () => profileOf([plugin], identity, { facets: true });
  let profile = told();
  // A process that is started again introduces itself anew, mostly as before.
  const unfollow = plugin.onEvent(({ kind }) => {
    if (kind !== 'tools-changed') return;
    const now = told();
    if (isDeepStrictEqual(now, profile)) return;
    profile = now;
    changes.emit();
  });
  return {
    get profile() {
      return profile;
    },
    get failure() {
      return failureOf(plugin);
    },
    process: plugin,
    call: (tool, args, options) => plugin.call(tool, args, options),
    // What it can is known once it runs, and told by what it answers.
    talk: (tool, args, options) => plugin.talk(tool, args, options),
    // No dialect has words for commands.
    run: (command, args, options) => plugin.call(command, args, options),
    complete: () => Promise.resolve([]),
    findUnlisted: (tool) => plugin.findTool(tool),
    onChanged: (listener) => changes.add(listener),
    async stop() {
      unfollow();
      await leave();
    },
  };
}

function failureOf(plugin: Plugin): PluglotError | undefined {
  const { state, reason } = plugin.status;
  return state === 'failed' || state === 'backoff' || state === 'unhealthy' ? reason : undefined;
}
