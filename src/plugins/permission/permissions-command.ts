// How the user shows and changes the rules: `permissions show|check|allow|deny|default|clear`.
import { type JsonObject, isJsonObject, type Json } from '../../base/json.ts';
import { revealed } from '../../base/printable.ts';
import { jsonText, shellWord, shortened } from '../../base/text.ts';
import { didYouMean } from '../../base/names.ts';
import { fail } from '../../definition/failure.ts';
import { result, type Result } from '../../definition/outcome.ts';
import type { Gate } from '../../gate/gate.ts';
import type { DefaultPolicy, PolicyView, Verdict } from '../../gate/policy/policy.ts';

export const USAGE =
  'permissions show | check TOOL [ARGUMENTS] | allow PATTERN | deny PATTERN | default allow|deny|ask | clear';

const actions = ['show', 'check', 'allow', 'deny', 'default', 'clear'] as const;
type Action = (typeof actions)[number];
const policies: readonly DefaultPolicy[] = ['allow', 'deny', 'ask'];

/** No rule that people write is longer. */
const PATTERN_MAX = 1000;
const COMPLETIONS_MAX = 100;

export async function runPermissions(args: JsonObject, gate: Gate, maxShown: number): Promise<Result> {
  const action = actionIn(wordIn(args, 'action') || 'show');
  const value = wordIn(args, 'value');
  const { session } = gate.policy;
  switch (action) {
    case 'show':
      return shown(gate, maxShown);
    case 'check':
      return check(gate, value);
    case 'allow': {
      const pattern = patternIn('allow', value);
      session.allow(pattern);
      return changed(gate, changedText.allow(pattern));
    }
    case 'deny': {
      const pattern = patternIn('deny', value);
      session.deny(pattern);
      return changed(gate, changedText.deny(pattern));
    }
    case 'default': {
      const policy = policies.find((one) => one === value);
      if (policy === undefined)
        wrong(
          value === ''
            ? 'Which one: allow, deny or ask?'
            : `"${shownOf(value)}" is not a policy; expected allow, deny or ask.`,
        );
      session.setDefault(policy);
      return changed(gate, changedText.default(policy));
    }
    case 'clear':
      session.clear();
      return changed(gate, changedText.clear(gate.policy.view().defaultPolicy));
  }
}

/** The arguments before are not known. */
export function completions(parameter: string, typed: string, view: () => PolicyView): readonly string[] {
  const candidates = parameter === 'action' ? actions : parameter === 'value' ? valuesOf(view()) : [];
  return [...new Set(candidates)].filter((one) => one.startsWith(typed)).slice(0, COMPLETIONS_MAX);
}

function valuesOf({ allow, deny, session }: PolicyView): readonly string[] {
  return [...policies, ...session.allow, ...session.deny, ...allow, ...deny];
}

function shown(gate: Gate, maxShown: number): Result {
  const view = gate.policy.view();
  return result({ text: viewText(view, maxShown), data: view });
}

function changed(gate: Gate, text: string): Result {
  return result({ text, data: { session: gate.policy.view().session } });
}

async function check(gate: Gate, value: string): Promise<Result> {
  const subject = subjectIn(value);
  if ('problem' in subject) wrong(subject.problem);
  const { tool, args } = subject;
  // Calls of the user are always allowed, so the check is for a model.
  const verdict = await gate.check(tool, args, { kind: 'model' });
  return result({
    text: verdictText(tool, args, verdict),
    data: { tool_name: tool, arguments: args, ...verdict },
  });
}

function actionIn(word: string): Action {
  const action = actions.find((one) => one === word.toLowerCase());
  return action ?? wrong(`"permissions ${shownOf(word)}" does not exist.${didYouMean(word, actions)}`);
}

function patternIn(action: Action, value: string): string {
  if (value === '')
    wrong(
      `permissions ${action} needs a pattern: the name of a tool, or a command such as "git status" or "git *".`,
    );
  if (value.length > PATTERN_MAX)
    wrong(`The pattern has ${value.length} characters; at most ${PATTERN_MAX} are taken.`);
  return value;
}

function wordIn(args: JsonObject, name: string): string {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') wrong(`"${name}" has to be a text.`);
  return value.trim();
}

function wrong(problem: string): never {
  return fail({ code: 'INVALID_ARGUMENTS', message: `${problem} Usage: ${USAGE}` });
}

type SubjectWords = { readonly tool: string; readonly args: JsonObject } | { readonly problem: string };

/** The tool whose arguments people know as a command. */
const COMMAND_TOOL = 'cli_based_tool';

function subjectIn(value: string): SubjectWords {
  const end = value.search(/\s/);
  const tool = end === -1 ? value : value.slice(0, end);
  const rest = end === -1 ? '' : value.slice(end).trim();
  if (tool === '') return { problem: 'The tool is missing.' };
  if (rest === '') return { tool, args: {} };
  if (rest.startsWith('{')) {
    const args = parsed(rest);
    return isJsonObject(args)
      ? { tool, args }
      : { problem: 'The arguments begin with { and are not a JSON object.' };
  }
  const pairs = pairsIn(rest);
  if (pairs !== undefined) return { tool, args: pairs };
  if (tool === COMMAND_TOOL) return { tool, args: { command: rest } };
  return { problem: 'The arguments are neither key=value nor a JSON object.' };
}

/** Undefined unless every word is a pair. */
function pairsIn(text: string): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const word of text.split(/\s+/)) {
    const at = word.indexOf('=');
    // A command that begins with a variable, `A=1 make`, has a word after it that is not a pair.
    if (at < 1 || !/^[\w.-]+$/.test(word.slice(0, at))) return undefined;
    entries.push([word.slice(0, at), parsed(word.slice(at + 1)) ?? word.slice(at + 1)]);
  }
  return Object.fromEntries(entries);
}

function parsed(text: string): Json | undefined {
  try {
    // JSON.parse returns JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function shownOf(text: string): string {
  return shortened(revealed(text), 200);
}

const changedText = {
  allow: (pattern: string) =>
    `Allowed for this session: ${shownOf(pattern)}\nWhat a rule denies stays denied. To keep it: pluglot allow ${shellWord(shownOf(pattern))}`,
  deny: (pattern: string) => `Denied for this session: ${shownOf(pattern)}`,
  default: (policy: DefaultPolicy) => `For this session, what no rule names is ${inWords[policy]}.`,
  clear: (policy: DefaultPolicy) =>
    `The rules and answers of this session are deleted. The rules of the files apply: what no rule names is ${inWords[policy]}.`,
};

const inWords: Readonly<Record<DefaultPolicy, string>> = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asked about',
};

function viewText(view: PolicyView, maxShown: number): string {
  const { session } = view;
  const policy = session.defaultPolicy ?? view.defaultPolicy;
  const isOther = session.defaultPolicy !== undefined && session.defaultPolicy !== view.defaultPolicy;
  return [
    `What no rule names is ${inWords[policy]}${isOther ? ` for this session; by the files it is ${inWords[view.defaultPolicy]}` : ''}.`,
    ...session.allowAll.map((who) => `Everything that no rule forbids is allowed to the ${shownOf(who)}.`),
    ...list('Denied in this session', session.deny, maxShown),
    ...list('Denied', view.deny, maxShown),
    ...list('Allowed in this session', session.allow, maxShown),
    ...list('Allowed', view.allow, maxShown),
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

function verdictText(tool: string, args: JsonObject, verdict: Verdict): string {
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
