// What somebody answers to a question, and how soon a key may do it.
import { isJsonObject, type JsonObject } from '../../../../../base/json.ts';
import { revealed } from '../../../../../base/printable.ts';
import type { Approval, Question } from '../../api/types.ts';

export type AllowScope = Extract<Approval, { kind: 'allow' }>['scope'];

export function allowed(scope: AllowScope, args?: JsonObject): Approval {
  return { kind: 'allow', scope, by: 'console', ...(args !== undefined && { args }) };
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
export function callerWords({ caller: { kind, name } }: Question): string {
  const words = kinds[kind] ?? 'Somebody';
  return name === undefined || name === kind ? words : `${words} (${revealed(name).slice(0, 40)})`;
}

const kinds: Readonly<Partial<Record<string, string>>> = {
  user: 'A person',
  model: 'A model',
  job: 'A job',
  client: 'A connected program',
};
