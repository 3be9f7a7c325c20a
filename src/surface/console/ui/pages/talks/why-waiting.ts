// Why a conversation has not begun yet, from what the host tells of its plugin.
import type { PluginView, Question } from '../../api/types.ts';

export type Waiting =
  | { readonly for: 'yes' }
  | { readonly for: 'others' | 'plugin' | 'turn' | 'nobody'; readonly words: string };

/** Undefined: it is just starting. */
export function whyWaiting(
  { tool, plugin: name }: { readonly tool: string; readonly plugin: string },
  plugins: readonly PluginView[],
  questions: readonly Question[],
  waitedMs: number,
): Waiting | undefined {
  if (questions.some((question) => question.tool === tool && question.caller.kind === 'user'))
    return { for: 'yes' };
  const plugin = plugins.find((one) => one.name === name);
  if (plugin === undefined) return undefined;
  const { state, stats } = plugin;
  // Its own turn has not come: somebody is before it.
  if (plugin.talking === true && stats.waiting > 0)
    return {
      for: 'others',
      words: `Somebody else is in a conversation with ${name}. Yours begins when that is over.`,
    };
  if (state !== 'ready' && state !== 'busy')
    return { for: 'plugin', words: `${name} is ${state}. The conversation begins when it is ready.` };
  if (stats.waiting > 0)
    return { for: 'turn', words: `${name} is busy with other calls. Yours begins when its turn comes.` };
  return waitedMs < PATIENCE_MS
    ? undefined
    : { for: 'nobody', words: `${name} takes its time to answer. It may be busy with somebody else.` };
}

const PATIENCE_MS = 5000;
