// From what a handler returned to what its caller is told.
import type { Json } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import { fail } from '../failure.ts';
import type { AnswerContent } from '../outcome.ts';
import { isResult, type ResultContent } from '../result.ts';
import { plainJson } from './plain-json.ts';

/** @throws Failure INTERNAL when it has no JSON form */
export function contentOf(returned: unknown, what: string): AnswerContent {
  if (returned === undefined) return {};
  if (typeof returned === 'string') return { text: returned };
  if (isResult(returned)) return contentOfResult(returned, what);
  return { data: jsonOf(returned, 'its result', what) };
}

/** What was found before a failure; nothing of it when some of it has no JSON form, since the failure itself is more important. */
export function contentOfPartial(partial: ResultContent): AnswerContent {
  try {
    return contentOfResult(partial, '');
  } catch {
    return {};
  }
}

/** @throws Failure INTERNAL when it has no JSON form */
export function jsonOf(value: unknown, where: string, what: string): Json {
  const plain = plainJson(value, where);
  if ('json' in plain) return plain.json;
  return fail({
    code: 'INTERNAL',
    message: `${what} answered with something that is no plain data: ${sentence(plain.problem)}`,
  });
}

function contentOfResult({ text, data, outputs, keepSession }: ResultContent, what: string): AnswerContent {
  return {
    ...(text === undefined ? {} : { text: textOf(text) }),
    ...(data === undefined ? {} : { data: jsonOf(data, 'its data', what) }),
    ...(outputs === undefined ? {} : { outputs: textsOf(outputs) }),
    ...(typeof keepSession === 'boolean' ? { keepSession } : {}),
  };
}

function textsOf(outputs: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, textOf(value)]));
}
