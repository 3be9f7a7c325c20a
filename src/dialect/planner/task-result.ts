// What came of a task: flat inside, on the wire in `output` and `metadata`.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown, textOf } from '../../base/shown.ts';
import type { AnswerContent } from '../../definition/outcome.ts';
import type { TaskResult } from '../../definition/plan.ts';
import { howToGoOn } from '../say-tool.ts';
import { taskMetadata, taskOutput } from './schema.ts';
import { fromWire, toWire, type Read } from './shape.ts';

const RESULT_FORM = '{ status, output { code, explanation, files_modified, files_created }, metadata }';

/** Fields of another kind than expected are kept in `more`: an executor is not refused for one of them. */
export function taskResultFromWire(wire: unknown): Read<TaskResult> {
  // Programs that have nothing else to say answer with the code alone.
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
    value: {
      ...(typeof status === 'string' ? { status } : {}),
      ...read.value,
      ...('value' in measured && Object.keys(measured.value).length > 0 ? { metadata: measured.value } : {}),
      ...(Object.keys(more).length === 0 ? {} : { more }),
    },
  };
}

/** Of the answer of an executor: mostly a TaskResult, but a text or any other value will do. */
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
 * What a tool answered, as what came of a task.
 * @param say the tool that takes what the user says next
 */
export function resultOfTool(tool: string, answer: AnswerContent, say: string | undefined): TaskResult {
  const { text, data, outputs, keepSession } = answer;
  const more = { ...(data === undefined ? {} : { data }), ...(outputs === undefined ? {} : { outputs }) };
  const hint = keepSession === true && say !== undefined ? ` ${howToGoOn(say)}` : '';
  return {
    code: text ?? (data === undefined ? '' : textOf(data)),
    explanation: `What the tool "${tool}" answered.${hint}`,
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

/** What a failure has to say beside itself: a failed task may have come far. */
export function outputOf({ text, data, outputs }: AnswerContent): JsonObject | undefined {
  if (text === undefined && data === undefined && outputs === undefined) return undefined;
  return {
    ...(text === undefined ? {} : { code: text }),
    ...(data === undefined ? {} : { data }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** What a person reads of it. */
export function textOfResult({ code, explanation }: TaskResult): string | undefined {
  return code === undefined || code === '' ? explanation : code;
}

function resultIn({ text, data }: AnswerContent): TaskResult {
  if (isJsonObject(data) && isTaskResult(data)) return data; // whoever reads it checks it again
  const more: { readonly more?: { readonly data: Json } } = data === undefined ? {} : { more: { data } };
  return { code: text ?? (data === undefined ? '' : textOf(data)), ...more };
}

function isTaskResult(data: JsonObject): boolean {
  return [...Object.keys(taskOutput.fields), 'status', 'metadata', 'more'].some((key) => key in data);
}
