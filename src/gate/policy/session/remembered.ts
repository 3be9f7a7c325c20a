// Answers that somebody gave, for whom and how long they hold.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Caller } from '../../../definition/caller.ts';
import type { Covers, Scope, Subject } from '../policy.ts';
import { argumentsText } from '../signature.ts';

export interface Remembered {
  get(subject: Subject): 'allow' | 'deny' | undefined;
  set(subject: Subject, answer: 'allow' | 'deny', scope: Exclude<Scope, 'once'>, covers?: Covers): void;
  /** Something was decided: what holds until nothing is goes on. */
  touch(): void;
  endTurn(): void;
  clear(): void;
}

/** After so long without a decision nobody remembers what was said. */
const IDLE_MS = 5 * 60_000;

/** More answers than a person gives; the oldest go first. */
const KEPT_LIMIT = 10_000;

export function remembered(clock: Clock): Remembered {
  const answers = new Map<
    string,
    { readonly answer: 'allow' | 'deny'; readonly scope: Exclude<Scope, 'once'> }
  >();
  let touchedAt = clock.now();
  const forget = (scope: Scope) => {
    for (const [key, one] of answers) if (one.scope === scope) answers.delete(key);
  };
  return {
    get(subject) {
      if (answers.size === 0) return undefined;
      return (answers.get(keyOf(subject, 'call')) ?? answers.get(keyOf(subject, 'tool')))?.answer;
    },
    set(subject, answer, scope, covers = 'call') {
      const key = keyOf(subject, covers);
      answers.delete(key);
      answers.set(key, { answer, scope });
      const [oldest] = answers.keys();
      if (answers.size > KEPT_LIMIT && oldest !== undefined) answers.delete(oldest);
    },
    touch() {
      if (clock.now() - touchedAt >= IDLE_MS) forget('idle');
      touchedAt = clock.now();
    },
    endTurn: () => forget('turn'),
    clear: () => answers.clear(),
  };
}

/** One caller apart from all others: the name is its own word, the rest is what the host knows of it. */
export function whoOf({ kind, name = kind, access, profile, connection }: Caller): string {
  return JSON.stringify([kind, name, access, profile, connection]);
}

/** Arguments in full, whatever they are: what is long is kept as its hash. */
function keyOf(subject: Subject, covers: Covers): string {
  const { kind, plugin, ownName, caller } = subject;
  const key = JSON.stringify([whoOf(caller), kind, plugin, ownName, covers]);
  return covers === 'tool' ? key : key + createHash('sha256').update(argumentsText(subject)).digest('base64');
}
