// Results of requests as answers, and answers as results.
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence, shown, textOf } from '../../base/text.ts';
import type { Response } from '../../channel/message/message.ts';
import type { Answer, AnswerContent } from '../../definition/outcome.ts';
import type { CodeVerdict, Plan, TaskResult } from '../../definition/plan.ts';
import { reasonGiven, withoutReason } from '../failure.ts';
import { howToGoOn } from '../talk-tool.ts';
import { fromWire, toWire, type Read } from '../shape.ts';
import { callFailureOf } from './codes.ts';
import { codeVerdict, methods, plan, taskMetadata, taskOutput } from './schema.ts';

/** What was requested of which plugin, and the form of the data: as received, or as the neutral types of plans. */
export interface PlannerRequest {
  readonly plugin: string;
  readonly method: string;
  readonly form: 'wire' | 'neutral';
}

/** @param streamed the text received before; results mostly repeat it */
export function answerOf(request: PlannerRequest, response: Response, streamed: string): Answer {
  if (response.kind === 'failure') {
    const { data } = response.error;
    const output = isJsonObject(data) && isJsonObject(data['output']) ? contentOf(data['output']) : {};
    return {
      ...withText(output, streamed),
      ...keepSessionIn(data),
      ok: false,
      error: callFailureOf(response.error),
    };
  }
  // It was parsed from JSON; a missing result is undefined.
  const content = readResult(request, response.result as Json | undefined);
  if ('problem' in content) {
    const message = `Plugin "${request.plugin}" answered ${request.method}, but ${sentence(content.problem)}`;
    return { ...withText({}, streamed), ok: false, error: { code: 'PROTOCOL_VIOLATION', message } };
  }
  const { failure, ...rest } = content.value;
  const { metadata } = isJsonObject(response.result) ? response.result : {};
  const all = { ...withText(rest, streamed), ...keepSessionIn(metadata) };
  if (failure === undefined) return { ...all, ok: true };
  const error = { code: 'TOOL_FAILED', message: reasonGiven(failure) } as const;
  return { ...withoutReason(all, error), ok: false, error };
}

type Content = AnswerContent & { readonly failure?: string };

function readResult({ method, form }: PlannerRequest, result: Json | undefined): Read<Content> {
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

function readTask(result: Json | undefined, form: PlannerRequest['form']): Read<Content> {
  const read = taskResultFromWire(result);
  if ('problem' in read) return read;
  const { value } = read;
  const text = textOfResult(value);
  const { outputs } =
    isJsonObject(result) && isJsonObject(result['output']) ? contentOf(result['output']) : {};
  return {
    value: defined({
      text,
      data: form === 'wire' && result !== undefined ? result : asJson(value),
      outputs,
      failure: isFailed(value.status) ? value.explanation || `The task is ${value.status}.` : undefined,
    }),
  };
}

function readPlan(result: Json | undefined, form: PlannerRequest['form']): Read<Content> {
  const sent = isJsonObject(result) && 'plan' in result ? result['plan'] : result;
  const read = fromWire<Plan>(plan, sent, 'the plan', 'lenient');
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

/** The specification leaves the form open, so anything with a boolean `valid` is accepted. */
function readVerdict(result: Json | undefined, form: PlannerRequest['form']): Read<Content> {
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

/** The result of a plugin's own method: read as that of a task where it has an `output`. */
function readAny(result: Json | undefined): Content {
  if (result === undefined) return {};
  if (typeof result === 'string') return { text: result };
  if (!isJsonObject(result)) return { data: result };
  const { status, output } = result;
  if (!isJsonObject(output)) return { data: result };
  const content = contentOf(output);
  const { explanation } = output;
  const failure = typeof explanation === 'string' ? explanation : shown(status);
  return isFailed(status) ? { ...content, failure } : content;
}

/** An `output`, with the fields that our own ends add to it. */
function contentOf(output: JsonObject): AnswerContent {
  const { code, data, outputs } = output;
  return defined({
    text: typeof code === 'string' && code !== '' ? code : undefined,
    data,
    outputs: isTexts(outputs) ? outputs : undefined,
  });
}

/** Our own executors mark answers of tools that keep the session. */
function keepSessionIn(about: unknown): Pick<AnswerContent, 'keepSession'> {
  return isJsonObject(about) && about['keep_session'] === true ? { keepSession: true } : {};
}

/** The specification has `success`; programs use other words for success too, so only these are failures. */
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

/** The neutral types of plans are JSON. */
function asJson(value: object): Json {
  return value as JsonObject;
}

const RESULT_FORM = '{ status, output { code, explanation, files_modified, files_created }, metadata }';

/** Fields of an unexpected type are kept in `more`: they do not make the result invalid. */
export function taskResultFromWire(wire: unknown): Read<TaskResult> {
  // Some programs answer with the code alone.
  if (typeof wire === 'string') return { value: { code: wire } };
  if (!isJsonObject(wire)) return { problem: `the result is ${shown(wire)}; expected ${RESULT_FORM}` };
  const { status, output = {}, metadata, ...rest } = wire;
  const read = fromWire(
    taskOutput,
    isJsonObject(output) ? output : { code: textOf(output) },
    'output',
    'lenient',
  );
  if ('problem' in read) return read;
  const measured = fromWire(taskMetadata, metadata ?? {}, 'metadata', 'lenient');
  const more = { ...rest, ...read.value.more };
  return {
    value: defined({
      status: typeof status === 'string' ? status : undefined,
      ...read.value,
      metadata: 'value' in measured && Object.keys(measured.value).length > 0 ? measured.value : undefined,
      more: Object.keys(more).length === 0 ? undefined : more,
    }),
  };
}

/** The answer of an executor: mostly a TaskResult, but any text or value is accepted. */
export function taskResultToWire(answer: AnswerContent, executionTimeMs: number): JsonObject {
  const { status = 'success', metadata = {}, ...output } = resultIn(answer);
  const kept = answer.keepSession === true ? { keep_session: true } : {};
  return {
    status,
    output: {
      code: '',
      explanation: '',
      files_modified: [],
      files_created: [],
      ...toWire(taskOutput, output),
    },
    metadata: { execution_time_ms: executionTimeMs, ...toWire(taskMetadata, metadata), ...kept },
  };
}

/**
 * The answer of a tool as the result of a task.
 * @param say the tool that takes the user's next input
 */
export function resultOfTool(tool: string, answer: AnswerContent, say: string | undefined): TaskResult {
  const { text, data, outputs, keepSession } = answer;
  const more = defined({ data, outputs });
  const hint = keepSession === true && say !== undefined ? ` ${howToGoOn(say)}` : '';
  return {
    code: text ?? (data === undefined ? '' : textOf(data)),
    explanation: `The answer of the tool "${tool}".${hint}`,
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

export function verdictToWire({ data }: AnswerContent): JsonObject {
  return { valid: false, findings: [], ...(isJsonObject(data) ? toWire(codeVerdict, data) : {}) };
}

/** The text for people. */
function textOfResult({ code, explanation }: TaskResult): string | undefined {
  return code === undefined || code === '' ? explanation : code;
}

function resultIn({ text, data }: AnswerContent): TaskResult {
  if (isJsonObject(data) && isTaskResult(data)) return data; // the host checks it again
  const more: { readonly more?: { readonly data: Json } } = data === undefined ? {} : { more: { data } };
  return { code: text ?? (data === undefined ? '' : textOf(data)), ...more };
}

function isTaskResult(data: JsonObject): boolean {
  return [...Object.keys(taskOutput.fields), 'status', 'metadata', 'more'].some((key) => key in data);
}
