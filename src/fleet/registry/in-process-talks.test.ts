// Conversations with plugins in this process: the same rules as for those behind a wire.
import type { CallOptions } from '../../definition/call.ts';
import { expect, test } from 'vitest';
import { settled } from '../../../test/support/fleet/fake-world.ts';
import { testRegistry } from '../../../test/support/fleet/registry.ts';
import { talkContract } from '../../../test/support/fleet/talk-contract.ts';
import { definitionStage } from '../../../test/support/fleet/talk-stages.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { HandlerContext } from '../../definition/definition.ts';
import { result } from '../../definition/outcome.ts';
import type { Talk } from '../plugin/talk.ts';
import type { RegistryOptions } from './registry.ts';

talkContract('a conversation with a definition', definitionStage);

test('what is said has a size, and so has what is answered', async () => {
  const limits = { messageBytes: 1000 };
  const { begin, heard } = await quiz((content) => content.repeat(3), { limits });
  const tooMuch = { ok: false, error: { code: 'FRAME_TOO_LARGE' } };
  expect(await (await begin()).say('x'.repeat(1000))).toMatchObject(tooMuch);
  expect(heard).toEqual([]);
  const talk = await begin();
  expect(await talk.say('x'.repeat(500))).toMatchObject(tooMuch);
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: tooMuch.error });
  expect(await (await begin()).say('x')).toMatchObject({ ok: true, text: 'xxx' });
});

test('only text is said', async () => {
  const { begin, heard } = await quiz(() => 'done');
  const talk = await begin();
  // As callers who write JavaScript may.
  const outcome = await talk.say({ not: 'a text' } as unknown as string);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(heard).toEqual([]);
});

test('what is answered is a copy', async () => {
  const answer = { list: [1] };
  const { begin } = await quiz(() => answer);
  const outcome = await (await begin()).say('more');
  answer.list.push(2);
  expect(outcome).toMatchObject({ ok: true, data: { list: [1] } });
});

test('arguments that do not fit begin none', async () => {
  const { open, openings } = await quiz(() => 'done');
  const talk = open({ level: 'high' });
  expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'INVALID_ARGUMENTS' } });
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  // As callers who write JavaScript may.
  expect(await open(cyclic as never).ended).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  expect(openings()).toBe(0);
});

test('who speaks and from where is known in the conversation as in a call', async () => {
  const seen: unknown[] = [];
  const { begin } = await quiz((_, { caller, workdir, dialect }) => {
    seen.push({ caller, workdir, dialect });
    return 'done';
  });
  const caller = { kind: 'client', name: 'ide' } as const;
  const talk = await begin({ onBehalfOf: caller, context: { workdir: '/work' } });
  await talk.say('more');
  expect(seen).toEqual([{ caller, workdir: '/work', dialect: 'in-process' }]);
});

test('whoever works on what nobody waits for any more hears of it', async () => {
  const signals: AbortSignal[] = [];
  const { begin, world } = await quiz((_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const aborted = () => signals.map(({ aborted }) => aborted);
  const talk = await begin({ timeoutMs: 1_000_000 });
  const answer = talk.say('one');
  await settled();
  answer.cancel();
  expect(aborted()).toEqual([true]);
  void talk.say('two');
  await settled();
  talk.end();
  expect(aborted()).toEqual([true, true]);
  const slow = await begin({ timeoutMs: 1_000_000 });
  void slow.say('three');
  await settled();
  expect(aborted()).toEqual([true, true, false]);
  await world.advance(300_000, 10_000);
  expect(await slow.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  expect(aborted()).toEqual([true, true, true]);
});

test('a plugin has limits of its own', async () => {
  const { registry, world } = testRegistry();
  registry.registerPlugin(
    quizOf(() => new Promise(() => {})),
    {
      settings: () => ({ limits: { talkMs: 5000, callMs: 1000 } }),
    },
  );
  await registry.exposeAll();
  const begin = () => registry.resolveTool('quiz')?.talk?.({});
  const quiet = begin();
  await world.advance(5000, 500);
  expect(await quiet?.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  const talk = begin();
  await talk?.opening;
  await settled();
  const answer = talk?.say('more');
  await world.advance(1000, 500);
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
});

test('calls go on beside a conversation', async () => {
  const { begin, registry } = await quiz(() => 'done');
  const talk = await begin();
  expect(await registry.resolveTool('quiz')?.call({})).toMatchObject({ ok: true, keepSession: true });
  expect(talk.isOpen).toBe(true);
});

test('one that is set up anew begins anew', async () => {
  const { begin, registry } = await quiz(() => 'done');
  const talk = await begin();
  await registry.exposeTool('quiz', { other: true });
  expect(await talk.ended).toMatchObject({
    reason: 'failed',
    error: {
      code: 'PLUGIN_STOPPED',
      message: 'Plugin "quiz" was stopped, and the conversation with it.',
    },
  });
  expect(await (await begin()).say('more')).toMatchObject({ ok: true, text: 'done' });
});

test('what is there no more begins nothing', async () => {
  const { registry, openings } = await quiz(() => 'done');
  const resolved = registry.resolveTool('quiz');
  await registry.unexposeAll();
  expect(await resolved?.talk?.({})?.ended).toMatchObject({
    reason: 'failed',
    error: { code: 'PLUGIN_STOPPED' },
  });
  expect(openings()).toBe(0);
});

test('whose definition hears nothing, and objects, hold no conversations', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin(definePlugin({ name: 'deaf', version: '1', tools: { act: { handler: () => 1 } } }));
  registry.registerPlugin({
    name: 'object',
    getFunctionDeclarations: () => [{ name: 'do', description: '' }],
    getExecutors: () => ({ do: () => 1 }),
  });
  registry.registerPlugin(quizOf(() => 1));
  await registry.exposeAll();
  for (const tool of ['act', 'do']) expect(registry.resolveTool(tool)).not.toHaveProperty('talk');
  const talks = ['deaf', 'object', 'quiz'].map((name) => registry.getPlugin(name)?.manifest?.talks);
  expect(talks).toEqual([undefined, undefined, true]);
});

type OnInput = (content: string, context: HandlerContext) => unknown;

function quizOf(onInput: OnInput, opened: () => void = () => {}) {
  return definePlugin({
    name: 'quiz',
    version: '1',
    tools: {
      quiz: {
        input: { type: 'object', properties: { level: { type: 'number' } } },
        handler: () => {
          opened();
          return result({ text: 'Well?', keepSession: true });
        },
      },
    },
    onInput,
  });
}

async function quiz(onInput: OnInput, options: Partial<RegistryOptions> = {}) {
  const { registry, world } = testRegistry(options);
  const heard: string[] = [];
  let openings = 0;
  const definition = quizOf(
    (content, context) => {
      heard.push(content);
      return onInput(content, context);
    },
    () => (openings += 1),
  );
  registry.registerPlugin(definition);
  await registry.exposeAll();
  const open = (args: JsonObject, given?: CallOptions): Talk => {
    const talk = registry.resolveTool('quiz')?.talk?.(args, given);
    if (talk === undefined) throw new Error('It does not talk.');
    return talk;
  };
  const begin = async (given?: CallOptions) => {
    const talk = open({}, given);
    await talk.opening;
    await settled();
    return talk;
  };
  return { registry, world, heard, openings: () => openings, open, begin };
}
