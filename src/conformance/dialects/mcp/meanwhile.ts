// What a server says while a tool runs, and how it takes a cancellation.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods, notifications } from '../../../dialect/mcp/schema.ts';
import { doesNotApply, failed, passed, verdict, type Check } from '../../check.ts';
import { longestCall } from '../../subject/calls-under-way.ts';
import { capabilityOf } from './hello.ts';

const theme = 'While a tool runs';

export const mcpMeanwhileChecks: readonly Check[] = [
  {
    id: 'mcp:server:progress',
    title: 'Progress names the token of the call, rises, and ends with the answer',
    severity: 'error',
    theme,
    fix: 'Send notifications/progress with the progressToken of the request, a "progress" that rises each time, and none after the answer.',
    async run(subject) {
      const { transcript, call } = await subject.session();
      const told = transcript.heard.filter(({ message }) => message['method'] === notifications.progress);
      if (told.length === 0) return doesNotApply('It told of no progress.');
      let last = -Infinity;
      for (const { message } of told) {
        const params = isJsonObject(message['params']) ? message['params'] : ({} as JsonObject); // tells nothing
        const { progressToken, progress } = params;
        if (progressToken !== call.id || typeof progress !== 'number' || progress <= last)
          return failed(
            `Expected progress above ${last} with the token ${call.id}; it said ${shown(message, 200)}`,
          );
        last = progress;
      }
      const isLate =
        told.length >
        call.during.filter(({ message }) => message['method'] === notifications.progress).length;
      return verdict(
        !isLate,
        isLate ? 'Some came after the answer.' : `${told.length} times, up to ${last}.`,
      );
    },
  },
  {
    id: 'mcp:server:log-fields',
    title: 'A log has one of the eight levels, and data',
    severity: 'error',
    theme,
    fix: 'Send notifications/message with a "level" of syslog (debug … emergency) and "data".',
    async run(subject) {
      const { transcript } = await subject.session();
      const logs = transcript.heard.filter(({ message }) => message['method'] === notifications.log);
      if (logs.length === 0) return doesNotApply('It logged nothing.');
      const wrong = logs.find(({ message }) => !isLog(message['params']));
      return verdict(
        wrong === undefined,
        wrong === undefined ? `${logs.length} logs.` : shown(wrong.message, 200),
      );
    },
  },
  {
    id: 'mcp:server:log-level',
    title: 'A client that wants emergencies only hears of nothing less',
    severity: 'error',
    theme,
    fix: 'Answer logging/setLevel with {}, and from then on send no log below that level.',
    async run(subject) {
      if ((await capabilityOf(subject, 'logging')) === undefined)
        return doesNotApply('It declares no logging.');
      const { conversation, probe } = await subject.greet();
      const answer = await conversation.request(methods.setLevel, { level: 'emergency' });
      if (!('result' in answer)) return failed(`It answered logging/setLevel with ${shown(answer, 200)}`);
      const before = conversation.transcript.heard.length;
      await conversation.call(probe);
      const less = conversation.transcript.heard
        .slice(before)
        .find(({ message }) => message['method'] === notifications.log && !isEmergency(message['params']));
      if (less === undefined) return passed('It kept quiet.');
      return failed(`It still said ${shown(less.message, 200)}`);
    },
  },
  {
    id: 'mcp:server:cancelled',
    title: 'A call that is cancelled at once is not answered',
    severity: 'info',
    theme,
    fix: 'At notifications/cancelled stop the work and send no answer.',
    async run(subject) {
      const { longest, isLong } = await longestCall(subject);
      const { probe: slow, durationMs } = longest;
      if (!isLong)
        return doesNotApply(
          `"${slow.tool}" is done after ${durationMs} ms, before anybody cancels it. Name a call that takes longer with --slow-tool.`,
        );
      const { conversation, probe } = await subject.greet();
      const id = conversation.nextId();
      const params = { requestId: id, reason: 'The user has changed their mind.' };
      conversation.send(subject.driver.callMessage(id, slow), {
        jsonrpc: '2.0',
        method: notifications.cancelled,
        params,
      });
      await conversation.livesOn(probe, 'a cancellation');
      // Whatever it would have answered came before the answer to this.
      await conversation.call(slow);
      const answer = conversation.transcript.heard.find(({ message }) => message['id'] === id);
      if (answer === undefined) return passed('Nothing came.');
      return failed(`It answered ${shown(answer.message, 200)}`);
    },
  },
];

const LEVELS: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

function isLog(params: unknown): boolean {
  return isJsonObject(params) && LEVELS.includes(params['level']) && params['data'] !== undefined;
}

function isEmergency(params: unknown): boolean {
  return isJsonObject(params) && params['level'] === 'emergency';
}
