// What the user has begun with each tool, kept while other pages are shown; and the order and owners of tools.
import { signal, type Signal } from '@preact/signals';
import type { PluginView, ToolView } from '../../api/types.ts';
import type { Value } from '../../schema/value.ts';
import type { RunningCall } from '../../state/calls.ts';
import { isRunning } from '../fleet/facts.ts';

export interface ToolSession {
  readonly draft: Signal<ToolDraft>;
  readonly call: Signal<RunningCall | undefined>;
}

export interface ToolDraft {
  readonly value: Value;
  /** The JSON as typed, while the JSON tab was used last. */
  readonly text?: string;
  readonly tab: 'form' | 'json' | 'schema';
}

const SESSIONS_MAX = 60;
/** Fewer, since results can be large. */
const RESULTS_MAX = 12;

export class ToolDrafts {
  /** In the order in which they were last shown. */
  readonly #sessions = new Map<string, ToolSession>();

  of(tool: string, initial: () => Value): ToolSession {
    const known = this.#sessions.get(tool);
    const session = known ?? { draft: signal<ToolDraft>({ value: initial(), tab: 'form' }), call: signal() };
    this.#sessions.delete(tool);
    this.#sessions.set(tool, session);
    if (known === undefined) this.#forgetOldest();
    return session;
  }

  callOf(tool: string): RunningCall | undefined {
    return this.#sessions.get(tool)?.call.value;
  }

  begin(session: ToolSession, call: RunningCall): void {
    session.call.value = call;
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    // A running call stays, or it could not be cancelled.
    const idle = [...this.#sessions].filter(([, { call }]) => call.value?.state.peek().status !== 'running');
    const tooMany = Math.max(0, this.#sessions.size - SESSIONS_MAX);
    for (const [tool] of idle.slice(0, tooMany)) this.#sessions.delete(tool);
    const ended = idle.filter(([, { call }]) => call.value !== undefined);
    for (const [, { call }] of ended.slice(0, Math.max(0, ended.length - RESULTS_MAX)))
      call.value = undefined;
  }
}

/**
 * The plugins to start before an unlisted tool can be called: its own, where that does not run; where its plugin is not known, all
 * that are stopped or have failed.
 */
export function idleOwners(
  { name, plugin }: Pick<ToolView, 'name' | 'plugin'>,
  tools: readonly Pick<ToolView, 'name'>[],
  plugins: readonly PluginView[],
): PluginView[] {
  if (tools.some((tool) => tool.name === name)) return [];
  const idle = plugins.filter((one) => !isRunning(one));
  if (plugin !== '') return idle.filter((one) => one.name === plugin);
  return idle.filter(({ state, untrusted }) => state !== 'disabled' && untrusted === undefined);
}

/** Tools of the user's plugins come before built-in ones. */
export function ownFirst(
  tools: readonly ToolView[],
  plugins: readonly Pick<PluginView, 'name' | 'origin'>[],
): ToolView[] {
  const builtIn = new Set(plugins.flatMap(({ name, origin }) => (origin === 'built-in' ? [name] : [])));
  return tools.toSorted((one, other) => Number(builtIn.has(one.plugin)) - Number(builtIn.has(other.plugin)));
}
