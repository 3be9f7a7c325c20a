// What somebody answers to a question, and how soon a key may do it.
import { isJsonObject, type JsonObject } from '../../../../../base/json.ts';
import { revealed } from '../../../../../base/printable.ts';
import { accessOf } from '../../../../../base/describe-caller.ts';
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

/** The rule that "always" writes for an answer that covers so much; undefined: it writes none. */
export function ruleOf({ always }: Question, covers: Covers): string | undefined {
  return always?.[covers];
}

export function denied(comment: string): Approval {
  const words = comment.trim();
  return { kind: 'deny', scope: 'once', by: 'console', ...(words !== '' && { comment: words }) };
}

/** Arguments as somebody has typed them, or in words what is wrong with them. */
export function editedArguments(text: string): { args: JsonObject } | { problem: string } {
  try {
    const args: unknown = JSON.parse(text);
    return isJsonObject(args) ? { args } : { problem: 'Arguments are one JSON object: { … }' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A question that appears under somebody's fingers is not answered by what they were typing. */
const KEY_GUARD_MS = 700;

export function mayKeyAnswer(shownAt: number, now: number): boolean {
  return now - shownAt >= KEY_GUARD_MS;
}

/** Kept while it is pending, else the next in its place. */
export function chosenQuestion(
  questions: readonly Question[],
  wanted: string | undefined,
  before: number,
): Question | undefined {
  return questions.find(({ id }) => id === wanted) ?? questions[Math.min(before, questions.length - 1)];
}

/** A name that a program gave itself stands between brackets, short and with what hides in it. */
export function callerWords({ caller }: Question): string {
  const { kind, name } = caller;
  const words = kinds[kind] ?? 'Somebody';
  const about = [
    ...(name === undefined || name === kind ? [] : [revealed(name).slice(0, 40)]),
    accessOf(caller) ?? [],
  ].flat();
  return about.length === 0 ? words : `${words} (${about.join('; ')})`;
}

const kinds: Readonly<Partial<Record<string, string>>> = {
  user: 'A person',
  program: 'The program around this host',
  model: 'A model',
  job: 'A job',
  client: 'A connected program',
};
