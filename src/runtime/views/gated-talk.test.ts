// Conversations through the gate keep to what holds for all of them, wherever the plugin runs.
import { expect, onTestFinished, test } from 'vitest';
import {
  ask,
  deny,
  fakeApprover,
  fakeAudit,
  fakePolicy,
  yes,
  type FakePolicy,
} from '../../../test/support/gate/gate.ts';
import { testRegistry } from '../../../test/support/fleet/registry.ts';
import { talkContract, type StageLimits, type TalkStage } from '../../../test/support/fleet/talk-contract.ts';
import { definitionStage, OPEN, processStage } from '../../../test/support/fleet/talk-stages.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { HandlerContext } from '../../definition/definition.ts';
import { result } from '../../definition/outcome.ts';
import { createGate } from '../../gate/gate.ts';
import type { ApiCallOptions } from '../api.ts';
import { CallStats } from './call-stats.ts';
import { GatedTalk, type GatedTalkParts } from './gated-talk.ts';

const ways = { process: processStage, definition: definitionStage };
for (const [name, open] of Object.entries(ways))
  talkContract(`a conversation with a ${name} through the gate`, (limits) => gated(open, limits));

test('one that is denied begins nothing', async () => {
  const { talk, opened } = await quiz({ policy: fakePolicy(deny) });
  const denied = talk();
  const error = { code: 'PERMISSION_DENIED', message: 'Permission denied: a rule forbids it.' };
  expect(await denied.opening).toMatchObject({ ok: false, error });
  expect(await denied.ended).toMatchObject({ reason: 'failed', error });
  expect(opened).toEqual([]);
});

test('whoever is asked may let it begin with other arguments', async () => {
  const approver = fakeApprover({ ...yes, args: { level: 2 } });
  const { talk, opened } = await quiz({ policy: fakePolicy(ask), approver });
  const begun = talk({ level: 1 });
  expect(await begun.opening).toMatchObject({ ok: true, keepSession: true });
  expect(approver.questions).toMatchObject([
    { tool: 'quiz__quiz', args: { level: 1 }, intent: 'a conversation' },
  ]);
  expect(opened).toEqual([{ level: 2 }]);
});

test('nobody is asked about a plugin that holds no conversations, and it says who and the way out', async () => {
  const approver = fakeApprover(yes);
  const { talk, opened } = await quiz({ policy: fakePolicy(ask), approver, isDeaf: true });
  const error = {
    code: 'NOT_TALKING',
    message:
      'Plugin "quiz" holds no conversations, since it has no onInput. Call the tool instead of talking with it.',
  };
  expect(await talk().opening).toMatchObject({ ok: false, error });
  expect(await talk().ended).toMatchObject({ reason: 'failed', error });
  expect(approver.questions).toEqual([]);
  expect(opened).toEqual([]);
});

test('a plugin that was set up anew while somebody was asked is the one that is talked with', async () => {
  const approver = fakeApprover();
  const { talk, registry } = await quiz({ policy: fakePolicy(ask), approver });
  const begun = talk();
  await expect.poll(() => approver.questions.length).toBe(1);
  await registry.unexposeAll();
  await registry.exposeAll();
  approver.answer(yes);
  expect(await begun.opening).toMatchObject({ ok: true, text: 'Well?' });
});

test('whoever leaves before somebody has answered begins nothing', async () => {
  const approver = fakeApprover();
  const { talk, opened } = await quiz({ policy: fakePolicy(ask), approver });
  const begun = talk();
  await expect.poll(() => approver.questions.length).toBe(1);
  begun.end();
  expect(await begun.opening).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  approver.answer(yes);
  expect(await begun.ended).toEqual({ reason: 'left' });
  expect(opened).toEqual([]);
});

test('the plugin knows who speaks, and what is said is counted like calls', async () => {
  const { talk, stats, callers } = await quiz();
  const caller = { kind: 'client', name: 'ide' } as const;
  const begun = talk({}, { caller });
  await begun.opening;
  await expect.poll(() => begun.isOpen).toBe(true);
  expect(await begun.say('42')).toMatchObject({ ok: true, text: 'Right.' });
  expect(await begun.ended).toEqual({ reason: 'finished' });
  expect(callers).toEqual([caller, caller]);
  expect(stats.plugins.get('quiz')).toMatchObject({ calls: 2, failures: 0 });
});

test('it is watched from its first word to its end, carries a trace on, and both are in the audit', async () => {
  const { talk, audit, watched } = await quiz();
  const begun = talk();
  await begun.opening;
  await expect.poll(() => begun.isOpen).toBe(true);
  const { id } = begun.opening;
  expect(watched).toEqual([`asked ${id} talk quiz__quiz`, 'begun quiz quiz__quiz']);
  expect(audit.events).toMatchObject([
    { kind: 'decided', id, name: 'quiz__quiz', allowed: true, trace: TRACE },
  ]);
  await begun.say('42');
  expect(await begun.ended).toEqual({ reason: 'finished' });
  await expect.poll(() => watched.at(-1)).toBe('ended ok');
  expect(audit.events.at(-1)).toMatchObject({ kind: 'ended', id, ok: true });
});

test('that it may not be is heard too; a gate that closes ends it', async () => {
  const denied = await quiz({ policy: fakePolicy(deny) });
  await denied.talk().ended;
  expect(denied.watched.slice(1)).toEqual(['ended PERMISSION_DENIED']);
  expect(denied.audit.events).toMatchObject([{ kind: 'decided', allowed: false }]);
  const open = await quiz();
  const begun = open.talk();
  await expect.poll(() => begun.isOpen).toBe(true);
  const closed = open.gate.close();
  expect(await begun.ended).toEqual({ reason: 'left' });
  await closed;
  expect(open.audit.events.at(-1)).toMatchObject({ kind: 'ended' });
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** The stage of another one, with a gate before it that lets all pass. */
async function gated(open: typeof definitionStage, limits?: StageLimits): Promise<TalkStage> {
  const stage = await open(limits);
  const { registry, world } = stage;
  const { clock } = world;
  const parts: GatedTalkParts = {
    registry,
    gate: {
      talk: (_, args) => ({
        id: 'id',
        trace: undefined,
        permitted: Promise.resolve({ ok: true, args }),
        onGivenUp: undefined,
        giveUp: () => {},
        ended: () => {},
      }),
    },
    stats: new CallStats(clock, () => {}),
    clock,
    newId: () => 'id',
  };
  return {
    talk: (options = {}) => new GatedTalk(parts, OPEN, {}, { caller: { kind: 'user' }, ...options }),
    get openings() {
      return stage.openings;
    },
    get heard() {
      return stage.heard;
    },
    stream: (text) => stage.stream(text),
    answer: (text, how) => stage.answer(text, how),
    fail: (message) => stage.fail(message),
    stop: () => stage.stop(),
    advance: (ms) => stage.advance(ms),
  };
}

interface QuizOptions {
  readonly policy?: FakePolicy;
  readonly approver?: ReturnType<typeof fakeApprover>;
  readonly isDeaf?: boolean;
}

async function quiz({ policy = fakePolicy(), approver, isDeaf = false }: QuizOptions = {}) {
  const { registry, world } = testRegistry();
  const { clock } = world;
  const audit = fakeAudit();
  const watched: string[] = [];
  const gate = createGate({
    source: registry,
    policy,
    audit,
    clock,
    ...(approver !== undefined && { approver }),
  });
  onTestFinished(() => gate.close());
  const opened: JsonObject[] = [];
  const callers: unknown[] = [];
  registry.registerPlugin(
    definePlugin({
      name: 'quiz',
      version: '1',
      tools: {
        quiz: {
          input: { type: 'object', properties: { level: { type: 'number' } } },
          handler: (args, { caller }) => {
            opened.push(args);
            callers.push(caller);
            return result({ text: 'Well?', keepSession: true });
          },
        },
      },
      ...(!isDeaf && {
        onInput: (_: string, { caller }: HandlerContext) => {
          callers.push(caller);
          return 'Right.';
        },
      }),
    }),
  );
  await registry.exposeAll();
  const stats = new CallStats(clock, () => {});
  let count = 0;
  const parts: GatedTalkParts = { registry, gate, stats, clock, newId: () => `t${(count += 1)}` };
  const talk = (args: JsonObject = {}, options: ApiCallOptions = {}) =>
    new GatedTalk(parts, 'quiz', args, { caller: { kind: 'user' }, ...options });
  gate.observe({
    asked: ({ id, kind, name }) => {
      watched.push(`asked ${id} ${kind} ${name}`);
      return {
        trace: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
        begun: (plugin, tool) => void watched.push(`begun ${plugin} ${tool}`),
        ended: (outcome) => void watched.push(`ended ${outcome.ok ? 'ok' : outcome.error.code}`),
      };
    },
  });
  return { registry, gate, audit, talk, opened, callers, watched, stats };
}
