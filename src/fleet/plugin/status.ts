// What a plugin is doing, in one word, and what became of it.
import type { PluglotError } from '../../base/error.ts';
import type { Tool } from '../../definition/tool.ts';
import type { ServerNews } from '../../dialect/host-dialect.ts';
import type { SupervisorState } from '../supervisor/supervisor.ts';
import type { KeptRecord } from './logs/log-book.ts';
import type { LiveInstance } from './open-call.ts';

export type PluginState = SupervisorState | 'busy';

export interface PluginStatus {
  readonly state: PluginState;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Why it is in this state, where that has a reason. */
  readonly reason?: PluglotError;
  /** How often its processes were started again since it was started. */
  readonly restarts: number;
  /** Of all its processes. */
  readonly pids: readonly number[];
  /** Calls under way. */
  readonly running: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
  /** Somebody is in a conversation with it, also while nobody says anything. */
  readonly isTalking: boolean;
}

/** With the name of the plugin. */
export type PluginEvent = { readonly plugin: string } & PluginNews;

export type PluginNews =
  | {
      readonly kind: 'state-changed';
      readonly state: PluginState;
      readonly previous: PluginState;
      /** Milliseconds since 1970. */
      readonly at: number;
      readonly reason?: PluglotError;
    }
  | { readonly kind: 'tools-changed'; readonly tools: readonly Tool[] }
  | ServerNews
  | { readonly kind: 'logged'; readonly entry: KeptRecord };

/** What the whole does, from its parts: the best of them speaks for it. */
export function speaker(
  instances: readonly LiveInstance[],
): { instance: LiveInstance; state: PluginState } | undefined {
  let best: { instance: LiveInstance; state: PluginState } | undefined;
  for (const instance of instances) {
    const state = stateOf(instance);
    if (best === undefined || ranks[state] < ranks[best.state]) best = { instance, state };
  }
  return best;
}

function stateOf({ supervisor, calls }: LiveInstance): PluginState {
  return supervisor.state === 'ready' && calls.size > 0 ? 'busy' : supervisor.state;
}

const ranks: Readonly<Record<PluginState, number>> = {
  busy: 0,
  ready: 1,
  starting: 2,
  unhealthy: 3,
  backoff: 4,
  stopping: 5,
  failed: 6,
  stopped: 7,
};
