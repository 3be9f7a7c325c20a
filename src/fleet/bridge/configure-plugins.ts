// What the host of another dialect configures, passed on to the plugins: they are restarted with it where their dialect has words for it.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/sentence.ts';
import type { SetupResult } from '../../definition/backend.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Plugin } from '../plugin/plugin.ts';

/** One plugin gets all of it, several get each what stands under their name, on top of what is configured here. Nothing configured changes nothing. */
export async function configurePlugins(
  plugins: readonly Plugin[],
  config: JsonObject,
  log: (entry: LogEntry) => void,
): Promise<SetupResult> {
  const [first, ...others] = plugins;
  if (first !== undefined && others.length === 0) {
    await configureOne(first, config, log);
    return resultOf(first.manifest?.configApplied);
  }
  await Promise.all(
    partsOf(plugins, config).map(({ plugin, config: part }) => configureOne(plugin, part, log)),
  );
  const applied = plugins.flatMap(({ name, manifest }) =>
    manifest?.configApplied === undefined ? [] : [[name, manifest.configApplied] as const],
  );
  return resultOf(applied.length === 0 ? undefined : Object.fromEntries(applied));
}

function partsOf(plugins: readonly Plugin[], config: JsonObject) {
  return Object.entries(config).map(([name, part]) => {
    const plugin = plugins.find((each) => each.name === name);
    if (plugin !== undefined && isJsonObject(part)) return { plugin, config: part };
    const names = plugins.map((each) => each.name).join(', ');
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `The configuration of several plugins has an object for each by its name (${names}); "${name.slice(0, 100)}" is none of that.`,
    );
  });
}

async function configureOne(
  plugin: Plugin,
  config: JsonObject,
  log: (entry: LogEntry) => void,
): Promise<void> {
  if (Object.keys(config).length === 0) return;
  try {
    await plugin.configure({ ...plugin.spec.config, ...config });
  } catch (error) {
    if (!(error instanceof PluglotError) || error.code !== 'UNSUPPORTED') throw error;
    log({ level: 'warn', message: sentences(error.message, 'What the host configured was left out.') });
  }
}

function resultOf(configApplied: Json | undefined): SetupResult {
  return configApplied === undefined ? {} : { configApplied };
}
