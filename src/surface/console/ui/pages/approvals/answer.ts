// The user's answer to a question, and the text of a question that is not shown twice.
import { accessOf, quotedName } from '../../../../../base/describe.ts';
import type { JsonObject } from '../../../../../base/json.ts';
import type { Approval, Question } from '../../api/types.ts';

export type AllowScope = Extract<Approval, { kind: 'allow' }>['scope'];
export type Covers = 'call' | 'tool';

export function allowed(scope: AllowScope, more: { args?: JsonObject; covers?: Covers } = {}): Approval {
  const { args, covers } = more;
  return {
    kind: 'allow',
    scope,
    by: 'console',
    ...(covers === 'tool' && { covers }),
    ...(args !== undefined && { args }),
  };
}

export function denied(comment: string): Approval {
  const text = comment.trim();
  return { kind: 'deny', scope: 'once', by: 'console', ...(text !== '' && { comment: text }) };
}

/** The rule that "always" would write; undefined where it would write none. */
export function ruleOf({ always }: Question, covers: Covers): string | undefined {
  return always?.[covers];
}

/** A key pressed while a question appears was not meant for it. */
const KEY_GUARD_MS = 700;

export function acceptsKeys(shownAt: number, now: number): boolean {
  return now - shownAt >= KEY_GUARD_MS;
}

/** The wanted question while it is pending, else the one that has moved into its place. */
export function chosenQuestion(
  questions: readonly Question[],
  wanted: string | undefined,
  before: number,
): Question | undefined {
  return questions.find(({ id }) => id === wanted) ?? questions[Math.min(before, questions.length - 1)];
}

/** A name that a program gave itself stands in brackets, cut and with invisible characters written out. */
export function callerText({ caller }: Question): string {
  const { kind, name } = caller;
  const subject = callers[kind] ?? 'An unknown caller';
  const about = [
    ...(name === undefined || name === kind ? [] : [quotedName(name.slice(0, 40))]),
    accessOf(caller) ?? [],
  ].flat();
  return about.length === 0 ? subject : `${subject} (${about.join('; ')})`;
}

const callers: Readonly<Partial<Record<string, string>>> = {
  user: 'A person',
  program: 'The program that embeds this host',
  model: 'A model',
  job: 'A job',
  client: 'A connected program',
};

/** Longer than a prefix such as `Run: `. */
const PREFIX_MAX = 24;

/** Whether a plugin's text says no more than the signature does. */
export function repeatsSignature({ signature }: Question, text: string): boolean {
  const [own, known] = [collapsed(text), collapsed(signature)];
  return known !== '' && own.includes(known) && own.length - known.length <= PREFIX_MAX;
}

/** Whether the only argument is what the signature shows. */
export function argumentsRepeatSignature({ args, signature }: Question): boolean {
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' && collapsed(only) === collapsed(signature);
}

function collapsed(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
