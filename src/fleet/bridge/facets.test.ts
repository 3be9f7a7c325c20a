import { describe, expect, it } from 'vitest';
import { asked, begin, bridge, hear, say } from '../../../test/support/fleet/bridge.ts';
import { settled, type WorldOptions } from '../../../test/support/fleet/fake-world.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import { exposedTools } from './exposed-tools.ts';

describe('a conversation', () => {
  it('goes to the plugin that keeps the session', async () => {
    const { world, backend } = await bridge({ hasTalk: true });
    const opened = begin(backend, { tool: 'echo', dialect: 'gassist' });
    world.process.call.end({ ok: true, text: 'Who?', keepSession: true });
    expect(await opened.answer).toEqual({ ok: true, text: 'Who?', keepSession: true });
    const said = say(backend, 'Me');
    expect(world.process.inputs).toEqual(['Me']);
    world.process.call.end({ ok: true, text: 'Hello.' });
    expect(await said.answer).toEqual({ ok: true, text: 'Hello.' });
    expect(await say(backend, 'More').answer).toMatchObject({ error: { code: 'NOT_TALKING' } });
  });

  it.each(['gassist', 'mcp', 'yams', 'gevals', 'planner'] as const)(
    'is left when a host of %s calls something else',
    async (dialect) => {
      const { world, backend } = await kept({ dialect });
      const other = begin(backend, { tool: 'other', dialect });
      world.process.call.end({ ok: true, text: 'other' });
      expect(await other.answer).toEqual({ ok: true, text: 'other' });
      expect(await say(backend, 'More').answer).toMatchObject({ error: { code: 'NOT_TALKING' } });
    },
  );

  it('is left when something is asked beside the tools', async () => {
    const { world, backend } = await kept({
      facets: (start) => ({
        planner: { createPlan: (request, sink) => start(asked('plan', request), sink) },
      }),
    });
    const around = { dialect: 'mcp', timeoutMs: 1000 } as const;
    const planned = hear((sink) => backend.planner?.createPlan({ userRequest: 'x' }, sink, around));
    world.process.call.end();
    expect(await planned.answer).toMatchObject({ ok: true });
    expect(await say(backend, 'More').answer).toMatchObject({ error: { code: 'NOT_TALKING' } });
  });

  it('is not kept by a call that another came after: both are answered, in their turn', async () => {
    const { world, backend } = await bridge({ hasTalk: true });
    const first = begin(backend, { tool: 'echo' });
    const second = begin(backend, { tool: 'other' });
    expect(world.process.calls).toHaveLength(1);
    world.process.call.end({ ok: true, text: 'Who?', keepSession: true });
    expect(await first.answer).toEqual({ ok: true, text: 'Who?' });
    await settled();
    world.process.call.end({ ok: true, text: 'Yes?', keepSession: true });
    expect(await second.answer).toEqual({ ok: true, text: 'Yes?', keepSession: true });
    say(backend, 'Me');
    expect(world.process.inputs).toEqual(['Me']);
  });

  it('goes on after what was said is taken back', async () => {
    const { world, backend } = await kept({ cancel: 'free' });
    const said = say(backend, 'Me');
    said.cancel('Never mind.');
    expect(await said.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    const again = say(backend, 'You');
    world.process.call.end({ ok: true, text: 'I?' });
    expect(await again.answer).toEqual({ ok: true, text: 'I?' });
  });

  it('ends by its limit, and whoever goes on is told so', async () => {
    const { world, backend } = await kept({ limits: { talkMs: 60_000 } });
    await world.advance(61_000, 1000);
    expect(await say(backend, 'Me').answer).toMatchObject({
      error: {
        code: 'NOT_TALKING',
        message: expect.stringContaining('over its limit of 60000 ms') as string,
      },
    });
  });

  it('leaves a process alone that others use meanwhile, and does not keep them from it before it begins', async () => {
    const { world, backend } = await bridge({
      hasTalk: true,
      traits: { concurrency: 8 },
      limits: { talkMs: 60_000 },
    });
    const slow = world.plugin.call('other', {}, { timeoutMs: 120_000 });
    const opened = begin(backend, { tool: 'echo' });
    expect(world.process.underWay).toHaveLength(2);
    world.process.call.end({ ok: true, keepSession: true });
    expect(await opened.answer).toEqual({ ok: true, keepSession: true });
    const said = say(backend, 'Me');
    world.process.call.end({ ok: true, text: 'You', keepSession: true });
    expect(await said.answer).toEqual({ ok: true, text: 'You', keepSession: true });
    await world.advance(61_000, 1000);
    expect(await say(backend, 'Me').answer).toMatchObject({ error: { code: 'NOT_TALKING' } });
    expect(world.processes).toHaveLength(1);
    world.process.calls[0]?.end({ ok: true, text: 'at last' });
    expect(await slow).toMatchObject({ ok: true, text: 'at last' });
  });
});

/** A plugin that waits for what the user says. */
async function kept({ dialect = 'mcp', ...options }: WorldOptions & { dialect?: DialectName } = {}) {
  const bridged = await bridge({ hasTalk: true, ...options });
  const opened = begin(bridged.backend, { tool: 'echo', dialect });
  bridged.world.process.call.end({ ok: true, keepSession: true });
  await opened.answer;
  return bridged;
}

describe('facets', () => {
  it('are those of the plugin', async () => {
    const { world, backend } = await bridge({
      facets: (start) => ({
        planner: { createPlan: (request, sink) => start(asked('plan', request), sink) },
        executor: {
          executeTask: (request, sink) => start(asked('task', request), sink),
          validateCode: (request, sink) => start(asked('code', request), sink),
        },
      }),
    });
    const around = { dialect: 'mcp', timeoutMs: 1000 } as const;
    const planned = hear((sink) => backend.planner?.createPlan({ userRequest: 'x' }, sink, around));
    world.process.call.end();
    expect(await planned.answer).toEqual({ ok: true, data: { asked: { userRequest: 'x' } } });
    const done = hear((sink) => backend.executor?.executeTask({ type: 't', prompt: 'p' }, sink, around));
    world.process.call.end();
    expect(await done.answer).toMatchObject({ ok: true, data: { asked: { prompt: 'p' } } });
    const validated = hear((sink) => backend.executor?.validateCode?.({ code: 'c' }, sink, around));
    world.process.call.end();
    expect(await validated.answer).toMatchObject({ ok: true, data: { asked: { code: 'c' } } });
  });

  it('are not there where no plugin has them', async () => {
    const { backend } = await bridge();
    expect([backend.planner, backend.executor, backend.extractor, backend.talk]).toEqual(
      Array.from({ length: 4 }),
    );
  });

  it('leave out the tools that stand for them', async () => {
    const { backend } = await bridge({ tools: [{ name: 'own' }, { name: 'plan', facet: 'planner' }] });
    expect(backend.manifest.tools).toEqual([{ name: 'own' }]);
  });

  it('are shown as tools where that is wanted, but for conversations', async () => {
    const own = [{ name: 'own' }, { name: 'plan', facet: 'planner' }] as const;
    const { world } = await bridge({ tools: [...own, { name: 'say', facet: 'talk' }] });
    expect(exposedTools(world.fleet.plugins, { facets: true })).toEqual(own);
  });

  it('let the extractor that is surest of a file extract it', async () => {
    const { world, backend } = await bridge(
      {
        manifest: { extractor: { formats: [], extensions: ['.txt'] } },
        facets: (start) => ({
          extractor: {
            supports: async ({ extension }) => ({ supported: extension === '.txt', confidence: 0.5 }),
            extract: ({ source }, sink) => start(asked('extract', source), sink),
          },
        }),
      },
      ['second'],
    );
    const extract = (extension: string) =>
      hear((sink) =>
        backend.extractor?.extract({ source: { kind: 'path', path: 'a' }, type: { extension } }, sink, {
          dialect: 'mcp',
          timeoutMs: 1000,
        }),
      );
    expect(await backend.extractor?.supports({ extension: '.txt' })).toMatchObject({ confidence: 0.5 });
    expect(await extract('.png').answer).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } });
    const extracted = extract('.txt');
    await settled();
    world.processes[0]?.call.end({ ok: true, text: 'a text' });
    expect(await extracted.answer).toEqual({ ok: true, text: 'a text' });
    const cancelled = extract('.txt');
    cancelled.cancel('Never mind.');
    expect(await cancelled.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
  });

  it('tell all who keep a context what has changed', async () => {
    const { world, backend } = await bridge({
      facets: (start) => ({ updateContext: (update, sink) => start(asked('update', update), sink) }),
    });
    const update = { action: 'add', type: 'file', data: {} } as const;
    const { answer } = hear((sink) => backend.updateContext?.(update, sink));
    world.process.call.end({ ok: false, error: { code: 'CALL_TIMEOUT', message: 'Too late.' } });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT', message: 'Too late.' } });
  });
});
