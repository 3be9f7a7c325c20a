// What all processes of a plugin come to together: one that is ready is enough, and only when all have failed has the plugin.
import { toError, type PluglotError } from '../../base/error.ts';
import type { HostEnd } from '../../dialect/host-dialect.ts';
import type { LiveInstance } from './open-call.ts';

type Instances = readonly LiveInstance[];

/** Starts all, and gives the first that is ready; rejects when none gets there. */
export async function firstReady(instances: Instances): Promise<HostEnd> {
  try {
    return await Promise.any(instances.map(({ supervisor }) => supervisor.start()));
  } catch (error) {
    throw error instanceof AggregateError ? toError(error.errors[0]) : error;
  }
}

/** Starts those that rest. Who waits for them hears of a failure through the changes of their state. */
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

/** None has ever been ready or is about to be: who waits is told why, though it is tried again. */
export function cannotStart(instances: Instances): boolean {
  return instances.every(
    ({ supervisor: { state, wasReady } }) => state === 'failed' || (state === 'backoff' && !wasReady),
  );
}
