// A plugin object that is exposed: it is initialised first, since what it declares may go by its configuration.
import { deferred } from '../../base/deferred.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { late, within } from '../../base/within.ts';
import type { Definition } from '../../definition/definition.ts';
import { failureOf } from '../../definition/failure.ts';
import type { LogLevel } from '../../definition/tool.ts';
import { failureAsError, startDefinition, tookTooLong, type InProcessPlugin } from './live-definition.ts';
import type { LivePlugin } from './live-plugin.ts';
import { definitionOfToolPlugin } from './tool-plugin-definition.ts';
import type { ToolPlugin } from './tool-plugin.ts';

const SHUTDOWN_MS = 5000;

/** @throws PluglotError why it cannot be set up; it was shut down then */
export async function startToolPlugin(
  object: ToolPlugin,
  plugin: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  let definition: Definition;
  try {
    await initialise(object, plugin, config, signal);
    definition = definitionOfToolPlugin(object, plugin.name);
  } catch (thrown) {
    await shutDown(object, plugin);
    throw failureAsError(thrown, `Plugin "${plugin.name}" could not be initialised`);
  }
  return startDefinition(definition, plugin, {}, signal);
}

async function initialise(
  object: ToolPlugin,
  { name, limits, host }: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const { startMs } = host.limits(limits);
  const givenUp = deferred<never>();
  const giveUp = () => givenUp.reject(new PluglotError('PLUGIN_STOPPED', `Plugin "${name}" ends.`));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    if (signal.aborted) giveUp();
    const started = (async () => object.initialize?.(config))();
    const done = await within(Promise.race([started, givenUp.promise]), startMs, host.clock);
    if (done === late) throw tookTooLong(name, startMs);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function shutDown(object: ToolPlugin, { name, host }: InProcessPlugin): Promise<void> {
  const surroundings = host.surroundings(name);
  const log = (level: LogLevel, message: string) => surroundings.log({ level, message });
  try {
    const down = await within((async () => object.shutdown?.())(), SHUTDOWN_MS, host.clock);
    if (down === late) log('warn', `The shutdown of plugin "${name}" takes longer than ${SHUTDOWN_MS} ms.`);
  } catch (thrown) {
    log('error', `The shutdown of plugin "${name}" failed: ${failureOf(thrown).message}`);
  }
}
