// What holds for this session alone: rules that a person adds while it runs, and what was answered.
import type { Clock } from '../../../base/clock.ts';
import { describeCaller } from '../../../base/describe-caller.ts';
import type { Caller } from '../../../definition/caller.ts';
import { checkedRule } from '../file/write-rule.ts';
import type { DefaultPolicy, SessionRules } from '../policy.ts';
import { ruleIn } from '../rules/line-rule.ts';
import { listed, type RuleList, ruleList } from '../rules/rule-list.ts';
import { type Remembered, remembered, whoOf } from './remembered.ts';

export interface Session extends SessionRules {
  readonly remembered: Remembered;
  readonly whitelist: RuleList;
  readonly blacklist: RuleList;
  readonly defaultPolicy: DefaultPolicy | undefined;
  isAllowedAll(caller: Caller): boolean;
  /** In words. */
  readonly allowedAll: readonly string[];
  allowAll(caller: Caller): void;
}

export function createSession(clock: Clock): Session {
  const answers = remembered(clock);
  let whitelist = ruleList([]);
  let blacklist = ruleList([]);
  let defaultPolicy: DefaultPolicy | undefined;
  const allowedAll = new Map<string, string>();
  return {
    remembered: answers,
    get whitelist() {
      return whitelist;
    },
    get blacklist() {
      return blacklist;
    },
    get defaultPolicy() {
      return defaultPolicy;
    },
    isAllowedAll: (caller) => allowedAll.size > 0 && allowedAll.has(whoOf(caller)),
    get allowedAll() {
      return [...allowedAll.values()];
    },
    allow(pattern) {
      whitelist = withPattern(whitelist, pattern);
    },
    deny(pattern) {
      blacklist = withPattern(blacklist, pattern);
    },
    setDefault(policy) {
      defaultPolicy = policy;
    },
    allowAll(caller) {
      allowedAll.set(whoOf(caller), describeCaller(caller));
    },
    clear() {
      answers.clear();
      whitelist = ruleList([]);
      blacklist = ruleList([]);
      defaultPolicy = undefined;
      allowedAll.clear();
    },
  };
}

function withPattern(list: RuleList, pattern: string): RuleList {
  const rule = checkedRule(pattern);
  return list.shown.includes(rule) ? list : ruleList([listed([...list.shown, rule].map(ruleIn))]);
}
