// Executors: checks of tasks, code validation and streams.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shown, textOf } from '../base/text.ts';
import {
  type GroupedCheck,
  group,
  passed,
  failed,
  doesNotApply,
  verdict,
  NotApplicable,
  field,
  answered,
  areTexts,
} from './check.ts';
import { Unmet } from './conversation.ts';
import { codeOf } from './driver.ts';
import type { Subject, RecordedCall } from './subject.ts';

/** The result of the recorded task. @throws NotApplicable when the plugin is not an executor */
async function taskResult(subject: Subject): Promise<JsonObject> {
  const { call } = await subject.session();
  if (call.probe.tool !== 'execute_task') throw new NotApplicable('It is not an executor.');
  if (call.end === undefined) throw new Unmet(call.problem ?? 'The task never ended.');
  return resultIn('execute_task', call.end.message);
}

/** Calls a method. @throws NotApplicable when the plugin does not have it */
export async function methodResult(subject: Subject, tool: string, args: JsonObject): Promise<JsonObject> {
  const { conversation, handshake } = await subject.connect();
  if (!handshake.tools.some(({ name }) => name === tool)) throw new NotApplicable(`It has no ${tool}.`);
  const { message } = await conversation.call({ tool, args });
  return resultIn(tool, message);
}

/** @throws Unmet */
function resultIn(method: string, message: JsonObject): JsonObject {
  const { result } = message;
  if (isJsonObject(result)) return result;
  throw new Unmet(`Expected a result of ${method} that is an object; it answered ${shown(message, 200)}`);
}

export const plannerTaskChecks = group('Tasks', [
  {
    id: 'planner:execute:response-example',
    title: 'A task is answered with an output',
    fix: 'Answer execute_task with { status, output { code, explanation, files_modified, files_created }, metadata }; name a task that works with --tool.',
    async run(subject) {
      const result = await taskResult(subject);
      return verdict(isJsonObject(result['output']), `It answered ${shown(result, 300)}`);
    },
  },
  {
    id: 'planner:execute:status',
    title: 'The result of a task that was done says "success"',
    fix: 'Put "status": "success" into the result; what failed is an error.',
    run: field(taskResult, 'status', (status) => status === 'success'),
  },
  ...outputChecks(),
  {
    id: 'planner:execute:metadata-execution-time-ms',
    title: 'The metadata have the duration of the task',
    severity: 'info',
    fix: 'Put "metadata": { "execution_time_ms": NUMBER } beside the output.',
    async run(subject) {
      const { metadata } = await taskResult(subject);
      const took = isJsonObject(metadata) ? metadata['execution_time_ms'] : undefined;
      return verdict(typeof took === 'number' && took >= 0, `execution_time_ms is ${shown(took)}`);
    },
  },
  {
    id: 'planner:execute:string-id',
    title: 'An id that is a text is given back as it came',
    fix: 'Copy the id of the request into the response, whatever it is.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const before = conversation.transcript.received.length;
      conversation.send({ jsonrpc: '2.0', id: 'task_001', method: probe.tool, params: probe.args });
      const { message } = await conversation.waitFor(
        'an answer to "task_001"',
        ({ message, index }) => index >= before && !('method' in message),
        subject.limits.callMs,
      );
      return answered(message['id'] === 'task_001', message);
    },
  },
  {
    id: 'planner:context:answer',
    title: 'A change of context is answered with { status: "ok" }',
    severity: 'warning',
    fix: 'Answer update_context with { "status": "ok" }.',
    run: field(
      (subject) =>
        methodResult(subject, 'update_context', {
          action: 'add',
          context_type: 'file',
          data: { path: 'a.js' },
        }),
      'status',
      (status) => status === 'ok',
    ),
  },
]);

/** One for each field of an output. */
function outputChecks(): GroupedCheck[] {
  const texts = ['code', 'explanation'];
  const lists = ['files_modified', 'files_created'];
  return [...texts, ...lists].map((name) => {
    const isText = texts.includes(name);
    return {
      id: `planner:execute:output-${name.replaceAll('_', '-')}`,
      title: `${name} of an output is a ${isText ? 'text' : 'list of files'}`,
      severity: 'warning',
      fix: `Put "${name}" into every output: ${isText ? 'a string' : 'an array of strings'}, empty where there is nothing to say.`,
      run: field(taskOutput, name, (value) => (isText ? typeof value === 'string' : areTexts(value))),
    };
  });
}

async function taskOutput(subject: Subject): Promise<JsonObject> {
  const { output } = await taskResult(subject);
  if (isJsonObject(output)) return output;
  throw new NotApplicable('There is no output.');
}

export const plannerValidationChecks = group('Tasks', [
  {
    id: 'planner:validate:answer',
    title: 'Code is answered with a verdict and findings',
    severity: 'warning',
    fix: 'Answer validate_code with { valid, findings: [{ rule, line, column, severity, message, fix? }] }. Where it knows another language, ask in that: --only validate --tool validate_code code=CODE language=NAME.',
    async run(subject) {
      const { conversation, handshake, probe } = await subject.connect();
      if (!handshake.tools.some(({ name }) => name === METHOD)) return doesNotApply(`It has no ${METHOD}.`);
      const asked = probe.tool === METHOD ? [probe.args] : samples;
      let refusal: JsonObject = {};
      for (const args of asked) {
        const { message } = await conversation.call({ tool: METHOD, args });
        if (codeOf(message) === undefined)
          return verdict(isVerdict(message['result']), `It answered ${shown(message, 300)}`);
        refusal = message;
      }
      const languages = asked.map(({ language }) => textOf(language)).join(', ');
      return failed(`It refused code in ${languages}, at last with ${shown(refusal, 300)}`);
    },
  },
]);

const METHOD = 'validate_code';

/** A valid sample of each language, the most likely ones first. */
const samples: readonly JsonObject[] = Object.entries({
  javascript: 'let a = 1;\n',
  python: 'a = 1\n',
  typescript: 'let a: number = 1;\n',
  java: 'class A {}\n',
  go: 'package a\n',
  rust: 'fn a() {}\n',
  c: 'int a;\n',
  cpp: 'int a;\n',
  csharp: 'class A {}\n',
  kotlin: 'val a = 1\n',
  swift: 'let a = 1\n',
  ruby: 'a = 1\n',
  php: '<?php $a = 1;\n',
  bash: 'a=1\n',
  sql: 'SELECT 1;\n',
  html: '<p>a</p>\n',
  css: 'a { color: red; }\n',
  json: '{}\n',
  yaml: 'a: 1\n',
  markdown: '# a\n',
}).map(([language, code]) => ({ code, language, rules: [] }));

function isVerdict(result: Json | undefined): boolean {
  if (!isJsonObject(result)) return false;
  const { valid, findings } = result;
  return typeof valid === 'boolean' && isJsonArray(findings) && findings.every(isFinding);
}

function isFinding(finding: Json): boolean {
  if (!isJsonObject(finding)) return false;
  const { rule, severity, message } = finding;
  return (
    typeof rule === 'string' &&
    typeof message === 'string' &&
    (severity === 'error' || severity === 'warning' || severity === 'info')
  );
}

/** Readable by every host. */
const MESSAGE_LIMIT = 1_000_000;

export const plannerStreamChecks = group('Streams and sizes', [
  {
    id: 'planner:stream:task-id',
    title: 'A stream begins with stream_start, which names the task by the id of its request',
    fix: 'Send stream_start with "stream_id" and "task_id", the id of the execute_task request, before any chunk.',
    async run(subject) {
      const { notices, call } = await streams(subject);
      const begun = new Set<Json | undefined>();
      for (const { method, params } of notices) {
        if (method !== 'stream_start') {
          if (!begun.has(params['stream_id']))
            return failed(`${method} of a stream that was not started: ${shown(params)}`);
        } else if (textOf(params['task_id']) === String(call.id)) begun.add(params['stream_id']);
        else return failed(`The id of the request is ${call.id}, task_id is ${shown(params['task_id'])}`);
      }
      return passed(`${begun.size} streams.`);
    },
  },
  {
    id: 'planner:stream:sequence',
    title: 'The chunks of a stream are numbered, one after the other',
    fix: 'Give every stream_data a "sequence": 1, 2, 3 and so on.',
    async run(subject) {
      const { notices } = await streams(subject);
      const last = new Map<Json | undefined, number>();
      for (const { method, params } of notices) {
        if (method !== 'stream_data') continue;
        const { stream_id: stream, sequence } = params;
        const expected = (last.get(stream) ?? 0) + 1;
        if (sequence !== expected) return failed(`Chunk ${expected} has the sequence ${shown(sequence)}`);
        last.set(stream, expected);
      }
      return passed('In order.');
    },
  },
  {
    id: 'planner:stream:total-chunks',
    title: 'A stream ends with stream_end, before the answer, and with the number of its chunks',
    fix: 'Send stream_end with "stream_id" and "total_chunks" before you answer the request.',
    async run(subject) {
      const { notices } = await streams(subject);
      const of = (wanted: string, stream: Json | undefined) =>
        notices.filter(({ method, params }) => method === wanted && params['stream_id'] === stream);
      for (const { params } of notices.filter(({ method }) => method === 'stream_start')) {
        const stream = params['stream_id'];
        const [end] = of('stream_end', stream);
        if (end === undefined) return failed(`The stream ${shown(stream)} was not ended before the answer`);
        const count = of('stream_data', stream).length;
        const total = end.params['total_chunks'];
        if (total !== count) return failed(`${count} chunks came, total_chunks is ${shown(total)}`);
      }
      return passed('Ended and counted.');
    },
  },
  {
    id: 'planner:performance:message-size',
    title: 'Its messages stay under 1 MB',
    severity: 'warning',
    fix: 'Stream what is large, write it to files, or pack it with gzip where the host takes that.',
    async run(subject) {
      const { transcript } = await subject.session();
      const sizes = transcript.received.map(({ message }) => Buffer.byteLength(JSON.stringify(message)));
      const largest = Math.max(0, ...sizes);
      return verdict(largest <= MESSAGE_LIMIT, `The largest has ${largest} bytes.`);
    },
  },
]);

interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

/** What was streamed during the recorded call. @throws NotApplicable when that is nothing */
async function streams(subject: Subject): Promise<{ notices: readonly Notice[]; call: RecordedCall }> {
  const { call } = await subject.session();
  const notices = call.during.flatMap(({ message: { method, params } }) =>
    typeof method === 'string' && method.startsWith('stream_')
      ? [{ method, params: isJsonObject(params) ? params : {} }]
      : [],
  );
  if (notices.length === 0) throw new NotApplicable('It streamed nothing.');
  return { notices, call };
}
