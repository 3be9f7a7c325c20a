// A call that begins later or in another process: its id and its target are known once it has begun.
import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/async.ts';
import { PendingCall } from '../definition/call.ts';
import type { CallTarget } from './api.ts';

export interface DeferredCallParts {
  readonly tool: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly onCancel: (reason: string) => void;
}

export interface DeferredCall extends PendingCall {
  /** Resolves with undefined when the call ends before it has begun. */
  readonly target: Promise<CallTarget | undefined>;
  begun(target: CallTarget): void;
}

export function deferredCall({ tool, clock, signal, onCancel }: DeferredCallParts): DeferredCall {
  const call = new PendingCall({ id: '', tool, clock, onCancel });
  const target = deferred<CallTarget | undefined>();
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  void call.outcome.then(() => {
    signal?.removeEventListener('abort', cancel);
    target.resolve(undefined);
  });
  if (signal?.aborted === true) cancel();
  return Object.assign(call, {
    target: target.promise,
    begun: (known: CallTarget) => target.resolve(known),
  });
}
