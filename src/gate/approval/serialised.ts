// One question at a time: the next is shown when the first is answered, callers take turns, and one whose caller went away is skipped.
import { systemClock, type Clock } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { questionKey } from '../limits/limit-options.ts';
import type { Approval, Approver, Question } from './approver.ts';

export interface SerialisedOptions {
  /** How long a question may wait to be shown; from then on the approver's own limit counts. @default 900000 */
  readonly waitMs?: number;
  /** @default the real one */
  readonly clock?: Clock;
  /** In milliseconds since 1970. @default that of the system */
  readonly now?: () => number;
}

const WAIT_MS = 15 * 60_000;
const ANSWER_MS = 30_000;

export function serialised(
  approver: Approver,
  { waitMs = WAIT_MS, clock = systemClock, now = Date.now }: SerialisedOptions = {},
): Approver {
  const answerMs = approver.limitMs ?? ANSWER_MS;
  const show = (question: Question, signal: AbortSignal) =>
    untilGone(signal, answerMs, clock, (withdrawn) =>
      approver.ask({ ...question, expiresAt: now() + answerMs }, withdrawn),
    );
  const inTurn = callersInTurn();
  return {
    limitMs: waitMs + answerMs,
    ask(question, signal) {
      const mine = inTurn(questionKey(question.caller), () => show(question, signal));
      // Who waits for a turn may go away before it comes.
      return untilGone(signal, Infinity, clock, () => mine);
    },
  };
}

type Work = () => Promise<Approval>;

/** One piece of work at a time; a caller with many pieces gets one turn, then the others get theirs. */
function callersInTurn(): (caller: string, work: Work) => Promise<Approval> {
  const lines = new Map<string, (() => Promise<void>)[]>();
  let isBusy = false;
  const workOff = async () => {
    isBusy = true;
    for (let [first] = lines; first !== undefined; [first] = lines) {
      const [caller, line] = first;
      const begin = line.shift();
      lines.delete(caller);
      if (line.length > 0) lines.set(caller, line);
      await begin?.();
    }
    isBusy = false;
  };
  return (caller, work) =>
    new Promise((resolve, reject) => {
      const line = lines.get(caller) ?? [];
      lines.set(caller, line);
      line.push(() => work().then(resolve, reject));
      if (!isBusy) void workOff();
    });
}

/** Ends with the signal and the limit, whatever becomes of the question. */
async function untilGone(
  signal: AbortSignal,
  limitMs: number,
  clock: Clock,
  ask: (withdrawn: AbortSignal) => Promise<Approval>,
): Promise<Approval> {
  const gone = () => ended.reject(new Error('the caller has stopped waiting for the answer'));
  const ended = deferred<never>();
  const withdrawn = new AbortController();
  if (signal.aborted) gone();
  signal.addEventListener('abort', gone, { once: true });
  const callOff =
    limitMs === Infinity
      ? undefined
      : clock.after(limitMs, () => ended.reject(new Error('no answer came in time')));
  try {
    return await Promise.race(signal.aborted ? [ended.promise] : [ask(withdrawn.signal), ended.promise]);
  } finally {
    callOff?.();
    signal.removeEventListener('abort', gone);
    withdrawn.abort(new Error('The question is settled.'));
  }
}
