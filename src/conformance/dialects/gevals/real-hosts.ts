// What real hosts do, whatever the specification says: an extension has to live with it.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { LINE_LIMIT } from '../../../dialect/gevals/line-limit.ts';
import { doesNotApply, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';

const theme = 'Real hosts';

export const gevalsRealHostChecks: readonly Check[] = [
  {
    id: 'gevals:extension:version-refused',
    title: 'A protocol version that it does not speak is refused with -32602',
    severity: 'warning',
    theme,
    fix: 'Answer initialize with the error -32602 unless protocolVersion is exactly "0.0.1".',
    async run(subject) {
      // A plugin that knows several dialects tells this one by its version: it has to know by then.
      const { conversation } = await subject.greet();
      const answer = await conversation.request('initialize', { protocolVersion: '9.9.9' });
      return verdict(codeOf(answer) === -32602, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'gevals:extension:initialize-again',
    title: 'A second initialize is answered like the first',
    severity: 'warning',
    theme,
    fix: 'Take initialize at any time: configure anew, and answer with the manifest.',
    async run(subject) {
      const { conversation, introduction } = await subject.greet();
      const { result } = await conversation.request('initialize', { protocolVersion: '0.0.1' });
      const isSame =
        isJsonObject(result) && isJsonObject(introduction.raw) && result['name'] === introduction.raw['name'];
      return verdict(isSame, `It answered ${shown(result, 200)}`);
    },
  },
  {
    id: 'gevals:extension:real-context',
    title: 'A context with an empty phase is taken, and args that are null',
    severity: 'error',
    theme,
    fix: 'Take args that are null for {}, and a phase that is "" for none: real hosts send both.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const context = { workdir: probe.workdir ?? '/', phase: '' };
      const params = { operation: probe.tool, args: probe.args, context };
      const answer = await conversation.request('execute', params, subject.limits.callMs);
      const without = await conversation.request('execute', { ...params, args: null }, subject.limits.callMs);
      // Without arguments it may refuse what it requires, but not break.
      const isGood = 'result' in answer && codeOf(without) !== -32603;
      return verdict(isGood, `It answered ${shown(answer, 200)}, and to null ${shown(without, 200)}`);
    },
  },
  {
    id: 'gevals:extension:ids',
    title: 'An id comes back as it was sent',
    severity: 'error',
    theme,
    fix: 'Answer with the id of the request as it came: an integer stays an integer, a string a string.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const answers: JsonObject[] = [];
      for (const id of [7_000_000_001, 'seven']) {
        conversation.send({ ...subject.driver.callMessage(0, probe), id });
        const what = `an answer with the id ${shown(id)}`;
        answers.push((await conversation.hear(what, ({ message }) => message['id'] === id)).message);
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
    severity: 'error',
    theme,
    fix: 'Shorten what you say, or write it to a file: real hosts stop reading at a line of 64 KiB.',
    async run(subject) {
      const { transcript } = await subject.session();
      const longest = Math.max(
        ...transcript.heard.map(({ message }) => Buffer.byteLength(JSON.stringify(message))),
      );
      if (transcript.heard.length === 0) return doesNotApply('It said nothing.');
      return verdict(longest <= LINE_LIMIT, `Its longest line has ${longest} bytes.`);
    },
  },
];
