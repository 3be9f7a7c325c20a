// Runs the stages of the gate one after the other, without a promise where none of them makes one. What fails denies.
import { formatDuration } from '../base/units.ts';
import { isPromise, late } from '../base/async.ts';
import { broken, type Denial } from './denial.ts';
import { over, type GatedCall } from './gated-call.ts';

/** Fills in its part of the call, or denies it. Most stages answer at once, and then no promise is made. */
export interface Stage {
  /** In messages: "… does not work". */
  readonly name: string;
  run(call: GatedCall): MaybeDenied;
  /** @default none: the stage has its own */
  readonly limitMs?: number;
}

export type MaybeDenied = Denial | undefined | Promise<Denial | undefined>;

export function runStages(call: GatedCall, stages: readonly Stage[], from = 0): MaybeDenied {
  for (let index = from; index < stages.length; index += 1) {
    const stage = stages[index];
    if (stage === undefined) break;
    let denied: MaybeDenied;
    try {
      denied = stage.run(call);
    } catch (thrown) {
      return broken(stage.name, thrown);
    }
    if (isPromise(denied))
      return waitFor(call, stage, denied).then((denial) => denial ?? runStages(call, stages, index + 1));
    if (denied !== undefined) return denied;
  }
  return undefined;
}

async function waitFor(
  call: GatedCall,
  { name, limitMs = Infinity }: Stage,
  denied: Promise<Denial | undefined>,
): Promise<Denial | undefined> {
  try {
    const waited = await call.wait(denied, limitMs);
    if (waited === over) return call.cancelled();
    if (waited === late) return broken(name, new Error(`no answer came within ${formatDuration(limitMs)}`));
    return waited;
  } catch (thrown) {
    return broken(name, thrown);
  }
}

async function afterPromise<Value>(
  value: PromiseLike<Value>,
  next: (value: Value) => Denial | undefined,
): Promise<Denial | undefined> {
  return next(await value);
}

export function andThen<Value>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Denial | undefined,
): MaybeDenied {
  return isPromise(value) ? afterPromise(value, next) : next(value);
}
