// How an extension answers what is wrong with a request.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import { longestCall } from '../../subject/calls-under-way.ts';
import { demandingTool } from '../../subject/demanding-tool.ts';
import { refusesNoMethod } from '../../subject/unusual-requests.ts';

const theme = 'Errors';

export const gevalsErrorChecks: readonly Check[] = [
  {
    id: 'gevals:categories:unknown-operation',
    title: 'An unknown operation is answered with -32601',
    severity: 'error',
    theme,
    fix: 'Answer execute with the error -32601 when the manifest has no such operation.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const { message } = await conversation.call({ ...probe, tool: 'no-such-operation', args: {} });
      return verdict(codeOf(message) === -32601, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gevals:categories:missing-argument',
    title: 'A required argument that is missing is answered with -32602',
    severity: 'error',
    theme,
    fix: 'Check the arguments against "params" and answer with the error -32602 when they do not fit.',
    async run(subject) {
      const { conversation, introduction, probe } = await subject.greet();
      const tool = demandingTool(introduction.tools);
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
    severity: 'error',
    theme,
  },
  {
    id: 'gevals:errors:timeout',
    title: 'An operation that takes longer than its timeout is answered with -32001',
    severity: 'warning',
    theme,
    fix: 'Give up after context.timeout, and answer with the error -32001.',
    async run(subject) {
      const { longest, isLong } = await longestCall(subject);
      const { probe, durationMs } = longest;
      if (!isLong)
        return doesNotApply(
          `"${probe.tool}" is done after ${durationMs} ms, before any timeout. Name an operation that takes longer with --slow-tool.`,
        );
      const { conversation } = await subject.greet();
      const id = conversation.nextId();
      conversation.send(withTimeout(subject.driver.callMessage(id, probe), '100ms'));
      const { message } = await conversation.endOfCall(id, probe);
      return verdict(codeOf(message) === -32001, `Given 100 ms, it answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gevals:categories:invalid-json',
    title: 'Input that is no JSON is answered with -32700',
    severity: 'error',
    theme,
    fix: 'Catch what the parser throws and answer with the error -32700 and id null.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.send('{"jsonrpc": "2.0", nonsense');
      const { message } = await conversation.hear('the error -32700', ({ message }) => 'error' in message);
      return verdict(codeOf(message) === -32700, `It answered ${shown(message, 200)}`);
    },
  },
];

function withTimeout(call: JsonObject, timeout: string): JsonObject {
  const params = isJsonObject(call['params']) ? call['params'] : {};
  const context = isJsonObject(params['context']) ? params['context'] : {};
  return { ...call, params: { ...params, context: { ...context, timeout } } };
}
