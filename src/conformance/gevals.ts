// gevals: driver, and checks of the manifest, operations, errors, the end, and what real hosts do.
import { isJsonArray, isJsonObject, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { KiB } from '../base/units.ts';
import type { JsonSchema, Tool } from '../definition/tool.ts';
import { LINE_LIMIT } from '../dialect/gevals/line-limit.ts';
import {
  answered,
  answersShutdown,
  answersWith,
  doesNotApply,
  exitsAfterShutdown,
  failed,
  field,
  group,
  handshakeOf,
  isBoolean,
  isSemanticVersion,
  isText,
  logged,
  longestCall,
  passed,
  recordedResult,
  refusesNoMethod,
  refusesNonJson,
  verdict,
} from './check.ts';
import { describeExit, type Probe } from './conversation.ts';
import { codeOf, type Driver, driver, endByResponse, initialize, request } from './driver.ts';
import { demandingTool } from './probes.ts';
import type { Subject } from './subject.ts';

export const gevalsDriver: Driver = driver({
  dialect: 'gevals',
  // The limit of a Go scanner, without the LF.
  largestMessage: 64 * KiB - 1,
  oversizeMessage: 128 * KiB,
  async connect(conversation) {
    const raw = await initialize(conversation, { protocolVersion: '0.0.1', config: {} });
    return { raw, tools: toolsOf(isJsonObject(raw) ? raw['operations'] : undefined) };
  },
  callMessage: (id, probe) => execute(id, probe, { phase: 'setup' }),
  argumentsIn: 'args',
  endOfCall: (id, message) =>
    endByResponse(id, message, (result) => isJsonObject(result) && result['success'] === true),
  livenessRequest: (id, probe, padding) =>
    execute(
      id,
      probe,
      padding === undefined
        ? { phase: 'setup' }
        : { phase: 'verify', agent: { prompt: 'Do it.', output: padding } },
    ),
  shutdown: (id) => request(id, 'shutdown', {}),
  answersShutdown: true,
});

function execute(id: number, { tool, args, workdir = '/' }: Probe, context: JsonObject): JsonObject {
  return request(id, 'execute', { operation: tool, args, context: { workdir, ...context } });
}

function toolsOf(operations: unknown): Tool[] {
  if (!isJsonObject(operations)) return [];
  return Object.entries(operations).map(([name, operation]) => {
    const params = isJsonObject(operation) ? operation['params'] : undefined;
    return { name, ...(isSchema(params) ? { inputSchema: params } : {}) };
  });
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

export const gevalsManifestChecks = group('Manifest', [
  {
    id: 'gevals:manifest:name',
    title: 'The manifest has a name',
    fix: 'Answer initialize with "name", a string that is not empty.',
    run: field(handshakeOf, 'name', isText),
  },
  {
    id: 'gevals:manifest:version',
    title: 'The manifest has a semantic version',
    fix: 'Answer initialize with "version" such as "1.0.0".',
    run: field(
      handshakeOf,
      'version',
      (version) => isText(version) && isSemanticVersion(version.replace(/^v/, '')),
    ),
  },
  {
    id: 'gevals:manifest:protocol-version',
    title: 'The manifest names the version of the protocol',
    fix: 'Answer initialize with "protocolVersion": "0.0.1".',
    run: field(handshakeOf, 'protocolVersion', (protocolVersion) => protocolVersion === '0.0.1'),
  },
  {
    id: 'gevals:manifest:description',
    title: 'The manifest describes the extension',
    severity: 'info',
    fix: 'Answer initialize with "description": people choose by it.',
    run: field(handshakeOf, 'description', isText),
  },
  {
    id: 'gevals:manifest:requires',
    title: 'What the extension requires is a list of commands',
    fix: 'List requirements as [{ "command": "kubectl" }].',
    async run(subject) {
      const { requires } = await handshakeOf(subject);
      // Go writes null for an empty list.
      if (requires === undefined || requires === null) return doesNotApply('It requires nothing.');
      const isGood =
        isJsonArray(requires) &&
        requires.every((each) => isJsonObject(each) && typeof each['command'] === 'string');
      return verdict(isGood, `requires is ${shown(requires)}`);
    },
  },
  {
    id: 'gevals:manifest:operations',
    title: 'The manifest lists the operations',
    fix: 'Answer initialize with "operations", an object with an entry for each operation.',
    async run(subject) {
      const { operations } = await handshakeOf(subject);
      if (!isJsonObject(operations)) return failed(`operations is ${shown(operations)}`);
      const names = Object.keys(operations);
      return verdict(names.length > 0, names.length === 0 ? 'There are none.' : names.join(', '));
    },
  },
  {
    id: 'gevals:operation:params',
    title: 'Every operation has the schema of its arguments',
    fix: 'Give each operation "params", a JSON Schema object such as { "type": "object", "properties": {} }.',
    async run(subject) {
      const operations = await operationsOf(subject);
      const [without] = operations.filter(([, { params }]) => !isJsonObject(params) && params !== true);
      if (without === undefined) return passed(`${operations.length} operations have one.`);
      return failed(`params of ${without[0]} is ${shown(without[1]['params'])}`);
    },
  },
  {
    id: 'gevals:operation:description',
    title: 'Every operation says what it is for',
    severity: 'info',
    fix: 'Give each operation a "description": people and models choose by it.',
    async run(subject) {
      const operations = await operationsOf(subject);
      const [without] = operations.filter(([, { description }]) => !isText(description));
      if (without === undefined) return passed(`${operations.length} operations have one.`);
      return failed(`${without[0]} has none.`);
    },
  },
]);

async function operationsOf(subject: Subject): Promise<[string, JsonObject][]> {
  const { operations } = await handshakeOf(subject);
  if (!isJsonObject(operations)) return [];
  return Object.entries(operations).map(([name, one]) => [name, isJsonObject(one) ? one : {}]);
}

export const gevalsCallChecks = group('Operations', [
  {
    id: 'gevals:lifecycle:result-each',
    title: 'An operation is answered with a result',
    fix: 'Answer execute with { success, message?, error?, outputs? }; name an operation that works with --tool.',
    async run(subject) {
      return passed(`It answered ${shown(await recordedResult(subject), 200)}`);
    },
  },
  {
    id: 'gevals:result:success',
    title: 'A result says whether the operation succeeded',
    fix: 'Put "success", true or false, into every result: one without it counts as a failure.',
    run: field(recordedResult, 'success', isBoolean),
  },
  {
    id: 'gevals:result:message',
    title: 'The message and the error of a result are texts',
    fix: 'Make "message" and "error" strings, or leave them out.',
    async run(subject) {
      const { message = '', error = '' } = await recordedResult(subject);
      return verdict(
        typeof message === 'string' && typeof error === 'string',
        `message is ${shown(message)}, error is ${shown(error)}`,
      );
    },
  },
  {
    id: 'gevals:result:outputs',
    title: 'All outputs of a result are texts',
    fix: 'Turn each value of "outputs" into a string: hosts read no others.',
    async run(subject) {
      const { outputs } = await recordedResult(subject);
      if (outputs === undefined || outputs === null) return doesNotApply('The result has no outputs.');
      const isGood =
        isJsonObject(outputs) && Object.values(outputs).every((value) => typeof value === 'string');
      return verdict(isGood, `outputs is ${shown(outputs)}`);
    },
  },
  {
    id: 'gevals:log:level',
    title: 'A log has one of the four levels',
    fix: 'Log with level "debug", "info", "warn" or "error".',
    run: logged('log', ({ level }) => LEVELS.includes(level)),
  },
  {
    id: 'gevals:log:message',
    title: 'A log has a message',
    fix: 'Put "message", a string, into every log.',
    run: logged('log', ({ message }) => typeof message === 'string'),
  },
  {
    id: 'gevals:log:data',
    title: 'The data of a log is an object',
    fix: 'Make "data" an object, or leave it out.',
    run: logged('log', ({ data = {} }) => isJsonObject(data)),
  },
]);

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'];

export const gevalsErrorChecks = group('Errors', [
  {
    id: 'gevals:categories:unknown-operation',
    title: 'An unknown operation is answered with -32601',
    fix: 'Answer execute with the error -32601 when the manifest has no such operation.',
    run: answersWith(-32601, ({ conversation, probe }) =>
      conversation.call({ ...probe, tool: 'no-such-operation', args: {} }),
    ),
  },
  {
    id: 'gevals:categories:missing-argument',
    title: 'A required argument that is missing is answered with -32602',
    fix: 'Check the arguments against "params" and answer with the error -32602 when they do not fit.',
    async run(subject) {
      const { conversation, handshake, probe } = await subject.connect();
      const tool = demandingTool(handshake.tools);
      if (tool === undefined) return doesNotApply('No operation requires an argument.');
      const { message } = await conversation.call({ ...probe, tool: tool.name, args: {} });
      return verdict(
        codeOf(message) === -32602,
        `Without arguments ${tool.name} answered ${shown(message, 200)}`,
      );
    },
  },
  {
    id: 'gevals:errors:invalid-request',
    ...refusesNoMethod,
  },
  {
    id: 'gevals:errors:timeout',
    title: 'An operation that takes longer than its timeout is answered with -32001',
    severity: 'warning',
    fix: 'Give up after context.timeout, and answer with the error -32001.',
    async run(subject) {
      const { longest, isLong } = await longestCall(subject);
      const { probe, durationMs } = longest;
      if (!isLong)
        return doesNotApply(
          `"${probe.tool}" is done after ${durationMs} ms, before any timeout. Name an operation that takes longer with --slow-tool.`,
        );
      const { conversation } = await subject.connect();
      const id = conversation.nextId();
      conversation.send(withTimeout(subject.driver.callMessage(id, probe), '100ms'));
      const { message } = await conversation.endOfCall(id, probe);
      return verdict(codeOf(message) === -32001, `Given 100 ms, it answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gevals:categories:invalid-json',
    ...refusesNonJson,
  },
]);

function withTimeout(call: JsonObject, timeout: string): JsonObject {
  const params = isJsonObject(call['params']) ? call['params'] : {};
  const context = isJsonObject(params['context']) ? params['context'] : {};
  return { ...call, params: { ...params, context: { ...context, timeout } } };
}

export const gevalsEndChecks = group('Shutdown and one-shot mode', [
  {
    id: 'gevals:shutdown:response-example',
    title: 'Shutdown is answered',
    severity: 'warning',
    fix: 'Answer shutdown with the result {} before you exit, and let the answer be written first.',
    run: answersShutdown,
  },
  {
    id: 'gevals:shutdown:exit-after-response',
    title: 'It exits after shutdown',
    fix: 'Exit with code 0 once shutdown is answered: close stdin, stop timers.',
    run: exitsAfterShutdown,
  },
  {
    id: 'gevals:one-shot:executes',
    title: 'One execute on stdin, without initialize, is answered, and then it exits',
    fix: 'Take execute without initialize, and at the end of stdin write the result and exit with code 0.',
    async run(subject) {
      const { call } = await subject.session();
      const conversation = await subject.start();
      const id = conversation.startCall(call.probe);
      conversation.endInput();
      const { message } = await conversation.endOfCall(id, call.probe);
      const exit = await conversation.exit('after its one answer');
      const isGood = 'result' in message && exit.kind === 'exited' && exit.exitCode === 0;
      return verdict(isGood, `It answered ${shown(message, 200)}, and ${describeExit(exit)}.`);
    },
  },
]);

export const gevalsRealHostChecks = group('Real hosts', [
  {
    id: 'gevals:extension:version-refused',
    title: 'A protocol version that it does not speak is refused with -32602',
    severity: 'warning',
    fix: 'Answer initialize with the error -32602 unless protocolVersion is exactly "0.0.1".',
    async run(subject) {
      // A plugin of several dialects recognises this one by its version, so the handshake comes first.
      const { conversation } = await subject.connect();
      const answer = await conversation.request('initialize', { protocolVersion: '9.9.9' });
      return answered(codeOf(answer) === -32602, answer);
    },
  },
  {
    id: 'gevals:extension:initialize-again',
    title: 'A second initialize is answered like the first',
    severity: 'warning',
    fix: 'Take initialize at any time: configure again, and answer with the manifest.',
    async run(subject) {
      const { conversation, handshake } = await subject.connect();
      const { result } = await conversation.request('initialize', { protocolVersion: '0.0.1' });
      const isSame =
        isJsonObject(result) && isJsonObject(handshake.raw) && result['name'] === handshake.raw['name'];
      return answered(isSame, result);
    },
  },
  {
    id: 'gevals:extension:real-context',
    title: 'A context with an empty phase is taken, and args that are null',
    fix: 'Take args that are null for {}, and a phase that is "" for none: real hosts send both.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const context = { workdir: probe.workdir ?? '/', phase: '' };
      const params = { operation: probe.tool, args: probe.args, context };
      const answer = await conversation.request('execute', params, subject.limits.callMs);
      const without = await conversation.request('execute', { ...params, args: null }, subject.limits.callMs);
      // It may refuse missing arguments, but must not break.
      const isGood = 'result' in answer && codeOf(without) !== -32603;
      return verdict(isGood, `It answered ${shown(answer, 200)}, and to null ${shown(without, 200)}`);
    },
  },
  {
    id: 'gevals:extension:ids',
    title: 'An id comes back as it was sent',
    fix: 'Answer with the id of the request as it came: an integer stays an integer, a string a string.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const answers: JsonObject[] = [];
      for (const id of [7_000_000_001, 'seven']) {
        conversation.send({ ...subject.driver.callMessage(0, probe), id });
        const what = `an answer with the id ${shown(id)}`;
        answers.push((await conversation.waitFor(what, ({ message }) => message['id'] === id)).message);
      }
      return verdict(
        answers.every((answer) => 'result' in answer),
        `It answered ${answers.map((answer) => shown(answer)).join(' and ')}`,
      );
    },
  },
  {
    id: 'gevals:extension:line-limit',
    title: `No line is longer than ${LINE_LIMIT} bytes`,
    fix: 'Shorten what you say, or write it to a file: real hosts stop reading at a line of 64 KiB.',
    async run(subject) {
      const { transcript } = await subject.session();
      const longest = Math.max(
        ...transcript.received.map(({ message }) => Buffer.byteLength(JSON.stringify(message))),
      );
      if (transcript.received.length === 0) return doesNotApply('It sent nothing.');
      return verdict(longest <= LINE_LIMIT, `Its longest line has ${longest} bytes.`);
    },
  },
]);
