// What a person does with the rules: `permissions show|check|allow|deny|default|clear`.
import type { JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { fail } from '../../definition/failure.ts';
import { result, type Result } from '../../definition/result.ts';
import type { Gate } from '../../gate/gate.ts';
import type { DefaultPolicy, PolicyView } from '../../gate/policy/policy.ts';
import { subjectIn } from './subject-words.ts';
import { changedText, shownOf, verdictText, viewText } from './texts.ts';

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
            : `"${shownOf(value)}" is no policy; say allow, deny or ask.`,
        );
      session.setDefault(policy);
      return changed(gate, changedText.default(policy));
    }
    case 'clear':
      session.clear();
      return changed(gate, changedText.clear(gate.policy.view().defaultPolicy));
  }
}

/** While somebody types: nothing is known of what stands before. */
export function completions(parameter: string, typed: string, view: () => PolicyView): readonly string[] {
  const candidates = parameter === 'action' ? actions : parameter === 'value' ? valuesOf(view()) : [];
  return [...new Set(candidates)].filter((one) => one.startsWith(typed)).slice(0, COMPLETIONS_MAX);
}

function valuesOf({ whitelist, blacklist, session }: PolicyView): readonly string[] {
  return [...policies, ...session.whitelist, ...session.blacklist, ...whitelist, ...blacklist];
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
  // What is typed is the user's own and would always be allowed: the question is what a model may.
  const verdict = await gate.check(tool, args, { kind: 'model' });
  return result({
    text: verdictText(tool, args, verdict),
    data: { tool_name: tool, arguments: args, ...verdict },
  });
}

function actionIn(word: string): Action {
  const action = actions.find((one) => one === word.toLowerCase());
  return action ?? wrong(`There is no "permissions ${shownOf(word)}".${didYouMean(word, actions)}`);
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
