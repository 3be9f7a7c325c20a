// The rules in words. Patterns and names come from files and from models: nothing of them reaches a terminal as it is.
import type { JsonObject } from '../../base/json.ts';
import { revealed } from '../../base/printable.ts';
import { shellWord } from '../../base/shell-word.ts';
import { jsonText, shortened } from '../../base/shown.ts';
import type { DefaultPolicy, PolicyView, Verdict } from '../../gate/policy/policy.ts';

export function shownOf(text: string): string {
  return shortened(revealed(text), 200);
}

export const changedText = {
  allow: (pattern: string) =>
    `Allowed for this session: ${shownOf(pattern)}\nWhat a rule denies stays denied. To keep it: pluglot allow ${shellWord(shownOf(pattern))}`,
  deny: (pattern: string) => `Denied for this session: ${shownOf(pattern)}`,
  default: (policy: DefaultPolicy) => `For this session, what no rule names is ${inWords[policy]}.`,
  clear: (policy: DefaultPolicy) =>
    `All that was said in this session is forgotten, answers to questions included. The files hold: what no rule names is ${inWords[policy]}.`,
};

const inWords: Readonly<Record<DefaultPolicy, string>> = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asked about',
};

export function viewText(view: PolicyView, maxShown: number): string {
  const { session } = view;
  const policy = session.defaultPolicy ?? view.defaultPolicy;
  const isOther = session.defaultPolicy !== undefined && session.defaultPolicy !== view.defaultPolicy;
  return [
    `What no rule names is ${inWords[policy]}${isOther ? ` for this session; by the files it is ${inWords[view.defaultPolicy]}` : ''}.`,
    ...session.allowAll.map((who) => `Everything that no rule forbids is allowed to the ${shownOf(who)}.`),
    ...list('Denied in this session', session.blacklist, maxShown),
    ...list('Denied', view.blacklist, maxShown),
    ...list('Allowed in this session', session.whitelist, maxShown),
    ...list('Allowed', view.whitelist, maxShown),
    ...files(view.sources),
  ].join('\n');
}

function list(title: string, rules: readonly string[], maxShown: number): string[] {
  if (rules.length === 0) return [];
  const more = rules.length - maxShown;
  return [
    '',
    `${title} (${rules.length})`,
    ...rules.slice(0, maxShown).map((rule) => `  ${shownOf(rule)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

function files(sources: PolicyView['sources']): string[] {
  if (sources.length === 0) return ['', 'There is no permissions.json.'];
  return [
    '',
    'Read from',
    ...sources.map(
      ({ file, trusted }) =>
        `  ${shownOf(file)}${trusted ? '' : '  (not trusted yet: what it allows does not count)'}`,
    ),
  ];
}

export function verdictText(tool: string, args: JsonObject, verdict: Verdict): string {
  const call = Object.keys(args).length === 0 ? shownOf(tool) : `${shownOf(tool)} ${shownOf(jsonText(args))}`;
  const why = `${shownOf(verdict.reason)} (${verdict.method})`;
  switch (verdict.kind) {
    case 'allow':
      return `Allowed: ${call}\n  ${why}`;
    case 'deny':
      return `Denied: ${call}\n  ${why}`;
    case 'ask':
      return `Asked about: ${call}\n  ${why}\n  A lasting answer would be about: ${shownOf(verdict.remembers)}`;
  }
}
