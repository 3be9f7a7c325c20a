// How a request ended, in the words that all dialects share.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import type { Response } from '../../channel/message/message.ts';
import type { Answer, AnswerContent } from '../../definition/outcome.ts';
import type { CodeVerdict, Plan } from '../../definition/plan.ts';
import { reasonGiven, withoutReason } from '../failure.ts';
import { failureOf } from './failures.ts';
import { codeVerdict, methods, plan } from './schema.ts';
import { fromWire, type Read } from './shape.ts';
import { taskResultFromWire, textOfResult } from './task-result.ts';

/** Who was asked what, and in which form the data is wanted: as it came, or in the neutral words of plans. */
export interface Asked {
  readonly plugin: string;
  readonly method: string;
  readonly form: 'wire' | 'neutral';
}

/** @param streamed what was said before; the end of a stream mostly repeats it */
export function answerOf(asked: Asked, response: Response, streamed: string): Answer {
  if (response.kind === 'failure') {
    const { data } = response.error;
    const said = isJsonObject(data) && isJsonObject(data['output']) ? contentOf(data['output']) : {};
    return {
      ...withText(said, streamed),
      ...keptIn(data),
      ok: false,
      error: failureOf(response.error),
    };
  }
  // It was parsed from JSON; one that was left out is undefined.
  const content = readResult(asked, response.result as Json | undefined);
  if ('problem' in content) {
    const message = `Plugin "${asked.plugin}" answered ${asked.method}, but ${sentence(content.problem)}`;
    return { ...withText({}, streamed), ok: false, error: { code: 'PROTOCOL_VIOLATION', message } };
  }
  const { failure, ...rest } = content.value;
  const { metadata } = isJsonObject(response.result) ? response.result : {};
  const said = { ...withText(rest, streamed), ...keptIn(metadata) };
  if (failure === undefined) return { ...said, ok: true };
  const error = { code: 'TOOL_FAILED', message: reasonGiven(failure) } as const;
  return { ...withoutReason(said, error), ok: false, error };
}

type Content = AnswerContent & { readonly failure?: string };

function readResult({ method, form }: Asked, result: Json | undefined): Read<Content> {
  switch (method) {
    case methods.executeTask:
      return readTask(result, form);
    case methods.createPlan:
      return readPlan(result, form);
    case methods.validateCode:
      return readVerdict(result, form);
    default:
      return { value: readAny(result) };
  }
}

function readTask(result: Json | undefined, form: Asked['form']): Read<Content> {
  const read = taskResultFromWire(result);
  if ('problem' in read) return read;
  const { value } = read;
  const text = textOfResult(value);
  const { outputs } =
    isJsonObject(result) && isJsonObject(result['output']) ? contentOf(result['output']) : {};
  return {
    value: {
      ...(text === undefined ? {} : { text }),
      data: form === 'wire' && result !== undefined ? result : asJson(value),
      ...(outputs === undefined ? {} : { outputs }),
      ...(isFailed(value.status) ? { failure: value.explanation || `The task is ${value.status}.` } : {}),
    },
  };
}

function readPlan(result: Json | undefined, form: Asked['form']): Read<Content> {
  const told = isJsonObject(result) && 'plan' in result ? result['plan'] : result;
  const read = fromWire<Plan>(plan, told, 'the plan', 'lenient');
  if ('problem' in read) return read;
  const { tasks, explanation } = read.value;
  const list = tasks.map(({ id, type, description }) => `${id} (${type}): ${description}`);
  return {
    value: {
      text: [...(explanation === undefined ? [] : [explanation]), ...list].join('\n'),
      data: form === 'wire' && result !== undefined ? result : asJson(read.value),
    },
  };
}

/** The specification leaves the answer open, so anything is taken that says whether the code is valid. */
function readVerdict(result: Json | undefined, form: Asked['form']): Read<Content> {
  if (!isJsonObject(result))
    return { problem: `the result is ${shown(result)}; expected { valid, findings }` };
  const read = fromWire<CodeVerdict>(codeVerdict, { findings: [], ...result }, 'the result', 'lenient');
  if ('problem' in read) return read;
  const { valid, findings } = read.value;
  const lines = findings.map(
    ({ line = 0, column = 0, severity, message, rule }) =>
      `${line}:${column} ${severity} ${message} (${rule})`,
  );
  return {
    value: {
      text: [valid ? 'The code is valid.' : 'The code is not valid.', ...lines].join('\n'),
      data: form === 'wire' ? result : asJson(read.value),
    },
  };
}

/** Of a method that the plugin has on its own: like a task where it looks like one, else as it is. */
function readAny(result: Json | undefined): Content {
  if (result === undefined) return {};
  if (typeof result === 'string') return { text: result };
  if (!isJsonObject(result)) return { data: result };
  const { status, output } = result;
  if (!isJsonObject(output)) return { data: result };
  const content = contentOf(output);
  const { explanation } = output;
  return {
    ...content,
    ...(isFailed(status) ? { failure: typeof explanation === 'string' ? explanation : shown(status) } : {}),
  };
}

/** What stands in an `output`, our own additions to it included. */
function contentOf(output: JsonObject): AnswerContent {
  const { code, data, outputs } = output;
  return {
    ...(typeof code === 'string' && code !== '' ? { text: code } : {}),
    ...(data === undefined ? {} : { data }),
    ...(isTexts(outputs) ? { outputs } : {}),
  };
}

/** Executors of ours say there that a tool keeps the session. */
function keptIn(about: unknown): Pick<AnswerContent, 'keepSession'> {
  return isJsonObject(about) && about['keep_session'] === true ? { keepSession: true } : {};
}

/** `success` in the specification; what else programs call a good end is no failure. */
function isFailed(status: unknown): boolean {
  return typeof status === 'string' && /^(fail|error|time|cancel|abort|reject)/i.test(status);
}

function withText(content: AnswerContent, streamed: string): AnswerContent {
  const { text = '' } = content;
  if (streamed === '') return content;
  if (text.startsWith(streamed)) return content;
  return { ...content, text: streamed.endsWith(text) ? streamed : streamed + text };
}

function isTexts(value: Json | undefined): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

/** The neutral types of plans are made of JSON. */
function asJson(value: object): Json {
  return value as JsonObject;
}
