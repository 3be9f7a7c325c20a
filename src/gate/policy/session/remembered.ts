// Answers that somebody gave, and how long they hold.
import type { Clock } from '../../../base/clock.ts';
import type { Scope } from '../policy.ts';

export interface Remembered {
  get(key: string): 'allow' | 'deny' | undefined;
  set(key: string, answer: 'allow' | 'deny', scope: Exclude<Scope, 'once'>): void;
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
    get: (key) => answers.get(key)?.answer,
    set(key, answer, scope) {
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
