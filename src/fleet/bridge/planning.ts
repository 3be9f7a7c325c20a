// The planner and the executor among the plugins: the first that is one.
import { PluglotError } from '../../base/error.ts';
import type { Backend } from '../../definition/backend.ts';
import type { ContextUpdate } from '../../definition/plan.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { inToolWords } from './failure-words.ts';
import { optionsFor, type Ask } from './pass-on.ts';

export function plannerOf(plugins: readonly Plugin[], ask: Ask): Backend['planner'] {
  const plugin = plugins.find(({ abilities }) => abilities.plans);
  if (plugin === undefined) return undefined;
  return {
    createPlan: (request, around, sink) =>
      ask(() => plugin.createPlan(request, optionsFor(plugin, around)), sink),
  };
}

export function executorOf(plugins: readonly Plugin[], ask: Ask): Backend['executor'] {
  const plugin = plugins.find(({ abilities }) => abilities.executes);
  if (plugin === undefined) return undefined;
  return {
    executeTask: (request, around, sink) =>
      ask(() => plugin.executeTask(request, optionsFor(plugin, around)), sink),
    validateCode: (request, around, sink) =>
      ask(() => plugin.validateCode(request, optionsFor(plugin, around)), sink),
  };
}

/** All that keep a context are told; whoever has none has nothing to change. */
export async function updateContext(plugins: readonly Plugin[], update: ContextUpdate): Promise<void> {
  const keepers = plugins.filter(({ abilities }) => abilities.keepsContext);
  const outcomes = await Promise.all(keepers.map((plugin) => plugin.updateContext(update).outcome));
  for (const outcome of outcomes) {
    if (outcome.ok) continue;
    const { code, message } = inToolWords(outcome.error);
    throw new PluglotError(code, message);
  }
}
