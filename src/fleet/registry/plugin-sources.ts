// Every kind of plugin as a source of one: whatever it is, it is started with a configuration and then answers calls.
import { PluglotError } from '../../base/error.ts';
import { sentences } from '../../base/sentence.ts';
import { profileOf } from '../../definition/run/profile-of.ts';
import type { Discovery, Found, FoundModule } from '../discovery/discover.ts';
import { withManifestBeside } from '../discovery/manifest-beside.ts';
import type { Fleet } from '../fleet.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Conforming } from './conforming.ts';
import type { RegisteredSettings } from './contract.ts';
import type { InProcessHost } from './in-process-host.ts';
import { startDefinition, type InProcessPlugin } from './live-definition.ts';
import type { LivePlugin, PluginSource } from './live-plugin.ts';
import { startProcess, startRegistered } from './live-process.ts';
import { startToolPlugin } from './live-tool-plugin.ts';
import { loadPlugin, type LoadModule } from './load-module.ts';
import type { PluginOrigin } from './resolved.ts';

/** One that was handed over as an object. */
export function conformingSource(
  made: Conforming,
  host: InProcessHost,
  origin: PluginOrigin,
  settings: () => RegisteredSettings = () => ({}),
): PluginSource {
  const { name } = made.kind === 'object' ? made.object : made.definition;
  return {
    origin,
    ...(made.kind === 'definition' && { profile: profileOf(made.definition) }),
    get config() {
      return settings().config;
    },
    get clients() {
      return settings().clients;
    },
    start: (config, signal) =>
      startConforming(made, { name, limits: settings().limits, host }, config, signal),
  };
}

/** One that a fleet has already. */
export function registeredSource(plugin: Plugin): PluginSource {
  return {
    origin: 'process',
    config: plugin.spec.config,
    clients: plugin.spec.clients,
    start: (config, signal) => startRegistered(plugin, config, signal),
  };
}

/** One that was found with a program or an address. */
export function processSource(
  { spec }: Found,
  fleet: Fleet,
  checkAgain: Discovery['checkAgain'],
): PluginSource {
  return {
    origin: 'process',
    config: spec.config,
    clients: spec.clients,
    async start(config, signal) {
      const trust = await checkAgain(spec.name);
      if (trust?.trusted !== true)
        throw new PluglotError(
          'NOT_TRUSTED',
          trust === undefined
            ? `Plugin "${spec.name}" may not be run: nothing is known of it any more.`
            : `Plugin "${spec.name}" may not be run: ${sentences(trust.reason, trust.wayOut)}`,
        );
      return startProcess(await withManifestBeside(spec), fleet, config, signal);
    },
  };
}

/** One that was found as a module. */
export function moduleSource(
  { module }: FoundModule,
  { host, load, checkAgain }: { host: InProcessHost; load: LoadModule; checkAgain: Discovery['checkAgain'] },
): PluginSource {
  const { name, config, limits, clients } = module;
  return {
    origin: 'in-process',
    config,
    clients,
    async start(merged, signal) {
      const made = await loadPlugin(module, { host, load, check: () => checkAgain(name) });
      return startConforming(made, { name, limits, host }, merged, signal);
    },
  };
}

function startConforming(
  made: Conforming,
  plugin: InProcessPlugin,
  ...[config, signal]: Parameters<PluginSource['start']>
): Promise<LivePlugin> {
  return made.kind === 'definition'
    ? startDefinition(made.definition, plugin, config, signal)
    : startToolPlugin(made.object, plugin, config, signal);
}
