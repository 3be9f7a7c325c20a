// The processes of a plugin taken together: one that is ready is enough, and only when all have failed has the plugin.
import { toError, type PluglotError } from '../../base/error.ts';
import type { WirePort, ServerNews } from '../../dialect/host-dialect.ts';
import type { LiveInstance } from './open-call.ts';
import type { SupervisorState } from '../supervisor/supervisor.ts';
import type { Tool } from '../../definition/tool.ts';
import type { KeptRecord } from './logs/log-book.ts';

type Instances = readonly LiveInstance[];

/** Starts all, and gives the first that is ready; rejects when none gets there. */
export async function firstReady(instances: Instances): Promise<WirePort> {
  try {
    return await Promise.any(instances.map(({ supervisor }) => supervisor.start()));
  } catch (error) {
    throw error instanceof AggregateError ? toError(error.errors[0]) : error;
  }
}

/** Starts those that are stopped. A failure is reported by the changes of their state. */
export function wakeAll(instances: Instances): void {
  for (const { supervisor } of instances) {
    const { state } = supervisor;
    if (state === 'stopped' || state === 'stopping') supervisor.start().catch(() => {});
  }
}

/** Why they have failed for good, when all have. */
export function commonFailure(instances: Instances): PluglotError | undefined {
  if (!instances.every(({ supervisor }) => supervisor.state === 'failed')) return undefined;
  return instances[0]?.supervisor.reason;
}

/** None was ever ready or is about to be: waiting calls fail with the reason, though the start is tried again. */
export function cannotStart(instances: Instances): boolean {
  return instances.every(
    ({ supervisor: { state, wasReady } }) => state === 'failed' || (state === 'backoff' && !wasReady),
  );
}

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
  /** A conversation with it is open. */
  readonly isTalking: boolean;
}

/** With the name of the plugin. */
export type PluginEvent = { readonly plugin: string } & PluginChange;

export type PluginChange =
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

/** The state of the plugin is that of its best process. */
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
