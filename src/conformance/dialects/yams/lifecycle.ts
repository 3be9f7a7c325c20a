// From init to shutdown.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods } from '../../../dialect/yams/schema.ts';
import { doesNotApply, failed, Unmet, verdict, type Check, type Finding } from '../../check.ts';
import { describeExit } from '../../subject/conversation.ts';
import type { Subject } from '../../subject/subject.ts';
import { resultOf } from './interview.ts';

const theme = 'Init, health and shutdown';

export const yamsLifecycleChecks: readonly Check[] = [
  {
    id: 'yams:init:status',
    title: 'plugin.init is answered with a status',
    severity: 'error',
    theme,
    fix: 'Answer plugin.init with { "status": "initialized" }.',
    async run(subject) {
      const { status } = await initResult(subject);
      return verdict(typeof status === 'string', `status is ${shown(status)}`);
    },
  },
  {
    id: 'yams:init:status-initialized',
    title: 'The status after a good init is "initialized"',
    severity: 'warning',
    theme,
    fix: 'Say "initialized"; "ok" is what some hosts forgive.',
    async run(subject) {
      const { status } = await initResult(subject);
      if (typeof status !== 'string') return doesNotApply('It has no status.');
      return verdict(status === 'initialized', `status is ${shown(status)}`);
    },
  },
  {
    id: 'yams:init:config-applied',
    title: 'The config that is in use is told as an object',
    severity: 'error',
    theme,
    fix: 'Make "config_applied" an object, or leave it out.',
    async run(subject) {
      const { config_applied: applied } = await initResult(subject);
      if (applied === undefined) return doesNotApply('It does not tell.');
      return verdict(isJsonObject(applied), `config_applied is ${shown(applied)}`);
    },
  },
  {
    id: 'yams:plugin:init-bare',
    title: 'plugin.init is taken with params that are the config itself',
    severity: 'warning',
    theme,
    fix: 'Where params have no "config", take the params: that is how the real host sends it.',
    run: (subject) => initializesWith(subject, {}),
  },
  {
    id: 'yams:plugin:init-absent',
    title: 'plugin.init is taken without params',
    severity: 'warning',
    theme,
    fix: 'Let the config be empty where there are no params: the real host leaves them out when there is none.',
    run: (subject) => initializesWith(subject, undefined),
  },
  {
    id: 'yams:health:status',
    title: 'plugin.health is answered with a status',
    severity: 'error',
    theme,
    fix: 'Answer plugin.health with { "status": "ok" }, or "degraded" or "error".',
    async run(subject) {
      const { status } = await resultOf(subject, 'health');
      const isGood = status === 'ok' || status === 'degraded' || status === 'error';
      return verdict(isGood, `status is ${shown(status)}`);
    },
  },
  {
    id: 'yams:shutdown:required',
    title: 'plugin.shutdown is answered',
    severity: 'error',
    theme,
    fix: 'Answer plugin.shutdown before you exit, and let the answer be written first.',
    async run(subject) {
      const { goodbye } = await subject.session();
      return verdict(goodbye !== undefined && 'result' in goodbye, `It answered ${shown(goodbye)}`);
    },
  },
  {
    id: 'yams:shutdown:example-response',
    title: 'The answer to plugin.shutdown is null',
    severity: 'info',
    theme,
    fix: 'Answer plugin.shutdown with null.',
    async run(subject) {
      const { goodbye = {} } = await subject.session();
      if (!('result' in goodbye)) return doesNotApply('There is no answer.');
      return verdict(goodbye['result'] === null, `It answered ${shown(goodbye)}`);
    },
  },
  {
    id: 'yams:shutdown:cleanup',
    title: 'It ends after plugin.shutdown',
    severity: 'warning',
    theme,
    fix: 'Clean up and exit with code 0 once plugin.shutdown is answered: close stdin, stop timers and helpers.',
    async run(subject) {
      const { exit } = await subject.session();
      if (exit === undefined) return failed('It still runs.');
      return verdict(exit.kind === 'exited' && exit.exitCode === 0, describeExit(exit));
    },
  },
  {
    id: 'yams:plugin:probe',
    title: 'A handshake and a goodbye without init are taken',
    severity: 'warning',
    theme,
    fix: 'Answer plugin.shutdown whether or not plugin.init came before: the real host looks at the manifest first, and starts the plugin again.',
    async run(subject) {
      const conversation = await subject.start();
      await conversation.request(methods.manifest);
      const answer = await conversation.request(methods.shutdown);
      return verdict('result' in answer, `It answered ${shown(answer)}`);
    },
  },
];

/** @throws Unmet */
async function initResult(subject: Subject): Promise<JsonObject> {
  const { transcript } = await subject.session();
  // After the handshake it is the second that is asked.
  const answer = transcript.heard.find(({ message }) => message['id'] === 2)?.message;
  if (isJsonObject(answer?.['result'])) return answer['result'];
  throw new Unmet(`Expected an object as the result of ${methods.init}; it answered ${shown(answer, 200)}`);
}

async function initializesWith(subject: Subject, params: JsonObject | undefined): Promise<Finding> {
  const conversation = await subject.start();
  await conversation.request(methods.manifest);
  const answer = await conversation.request(methods.init, params);
  return verdict((answer['error'] ?? null) === null, `It answered ${shown(answer, 200)}`);
}
