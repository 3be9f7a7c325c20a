// What holds for this session alone: rules that a person adds while it runs, and what was answered.
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { describeCaller } from '../../base/describe.ts';
import { Emitter } from '../../base/emitter.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import { checkedRule } from './file/write-rule.ts';
import type { DefaultPolicy, SessionRules, Covers, Scope, Subject } from './policy.ts';
import { ruleIn } from './shell/command-pattern.ts';
import { listed, type RuleList, ruleList } from './rules/rule-list.ts';

export class PolicySession implements SessionRules {
  /** Emits when the rules change. */
  readonly changed = new Emitter<void>();
  readonly answers: Answers;
  readonly #allowedAll = new Map<string, Caller>();
  allowRules = ruleList([]);
  denyRules = ruleList([]);
  defaultPolicy: DefaultPolicy | undefined;

  constructor(clock: Clock) {
    this.answers = new Answers(clock);
  }

  allow(pattern: string): void {
    this.allowRules = withPattern(this.allowRules, pattern, 'allow');
    this.changed.emit();
  }

  deny(pattern: string): void {
    this.denyRules = withPattern(this.denyRules, pattern, 'deny');
    this.changed.emit();
  }

  setDefault(policy: DefaultPolicy | undefined): void {
    this.defaultPolicy = policy;
    this.changed.emit();
  }

  /** Descriptions of the callers that may do everything. */
  get allowedAll(): readonly string[] {
    return [...this.#allowedAll.values()].map(describeCaller);
  }

  allowAll(caller: Caller): void {
    this.#allowedAll.set(whoOf(caller), caller);
  }

  isAllowedAll(caller: Caller): boolean {
    return this.#allowedAll.size > 0 && this.#allowedAll.has(whoOf(caller));
  }

  /** Forgets the answers for callers with this token. */
  forgetAccess(accessId: string): void {
    this.answers.forget((answer) => answer.accessId === accessId);
    for (const [key, caller] of this.#allowedAll)
      if (caller.accessId === accessId) this.#allowedAll.delete(key);
  }

  clear(): void {
    this.answers.forget(() => true);
    this.#allowedAll.clear();
    this.allowRules = ruleList([]);
    this.denyRules = ruleList([]);
    this.setDefault(undefined);
  }
}

function withPattern(list: RuleList, pattern: string, action: 'allow' | 'deny'): RuleList {
  const rule = checkedRule(pattern, action);
  return list.shown.includes(rule) ? list : ruleList([listed([...list.shown, rule].map(ruleIn))]);
}

/** Answers of scope `idle` expire after this time without a decision. */
const IDLE_MS = 5 * 60_000;

/** More answers than a person gives; the oldest go first. */
const KEPT_LIMIT = 10_000;

interface Answer {
  readonly answer: 'allow' | 'deny';
  readonly scope: Exclude<Scope, 'once'>;
  readonly accessId: string | undefined;
}

/** What people have answered, by caller and call. */
class Answers {
  readonly #answers = new Map<string, Answer>();
  readonly #clock: Clock;
  #touchedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#touchedAt = clock.now();
  }

  get(subject: Subject): 'allow' | 'deny' | undefined {
    if (this.#answers.size === 0) return undefined;
    return (this.#answers.get(keyOf(subject, 'call')) ?? this.#answers.get(keyOf(subject, 'tool')))?.answer;
  }

  set(subject: Subject, answer: Answer['answer'], scope: Answer['scope'], covers: Covers = 'call'): void {
    const key = keyOf(subject, covers);
    this.#answers.delete(key);
    this.#answers.set(key, { answer, scope, accessId: subject.caller.accessId });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > KEPT_LIMIT && oldest !== undefined) this.#answers.delete(oldest);
  }

  /** Something was decided: answers of scope `idle` go on. */
  touch(): void {
    if (this.#clock.now() - this.#touchedAt >= IDLE_MS) this.forget(({ scope }) => scope === 'idle');
    this.#touchedAt = this.#clock.now();
  }

  forget(isMeant: (answer: Answer) => boolean): void {
    for (const [key, answer] of this.#answers) if (isMeant(answer)) this.#answers.delete(key);
  }
}

/** Identifies a caller. It chooses its name itself; the host sets the rest. */
function whoOf({ kind, name = kind, access, accessId, profile, connection }: Caller): string {
  return JSON.stringify([kind, name, access, accessId, profile, connection]);
}

/** The same call has the same key in any order of its arguments, at any depth. */
function keyOf({ kind, plugin, ownName, caller, args }: Subject, covers: Covers): string {
  const given = covers === 'call' && createHash('sha256').update(canonicalJson(args)).digest('base64');
  return JSON.stringify([whoOf(caller), kind, plugin, ownName, given]);
}
