// What holds for this session alone: rules that a person adds while it runs, and what was answered.
import type { Clock } from '../../../base/clock.ts';
import { PluglotError } from '../../../base/error.ts';
import type { DefaultPolicy, SessionRules } from '../policy.ts';
import { type RuleList, ruleList } from '../rules/rule-list.ts';
import { type Remembered, remembered } from './remembered.ts';

export interface Session extends SessionRules {
  readonly remembered: Remembered;
  readonly whitelist: RuleList;
  readonly blacklist: RuleList;
  readonly defaultPolicy: DefaultPolicy | undefined;
  readonly isAllowAll: boolean;
  allowAll(): void;
}

/** As in the schema of the file. */
const PATTERN_LIMIT = 1000;

export function createSession(clock: Clock): Session {
  const answers = remembered(clock);
  let whitelist = listOf([]);
  let blacklist = listOf([]);
  let defaultPolicy: DefaultPolicy | undefined;
  let isAllowAll = false;
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
    get isAllowAll() {
      return isAllowAll;
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
    allowAll() {
      isAllowAll = true;
    },
    clear() {
      answers.clear();
      whitelist = listOf([]);
      blacklist = listOf([]);
      defaultPolicy = undefined;
      isAllowAll = false;
    },
  };
}

/** A person says `allow web_search` and `allow git *` alike. */
function listOf(patterns: readonly string[]): RuleList {
  return { ...ruleList([{ tools: patterns, patterns }]), shown: patterns };
}

function withPattern(list: RuleList, pattern: string): RuleList {
  const trimmed = pattern.trim();
  if (trimmed === '' || trimmed.length > PATTERN_LIMIT) {
    const got = trimmed === '' ? 'nothing' : `${trimmed.length} characters`;
    throw new PluglotError(
      'CONFIG_INVALID',
      `A rule is the name of a tool or a pattern such as "git *", of at most ${PATTERN_LIMIT} characters; this one has ${got}.`,
    );
  }
  return list.shown.includes(trimmed) ? list : listOf([...list.shown, trimmed]);
}
