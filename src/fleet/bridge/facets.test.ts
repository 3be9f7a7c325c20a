import { describe, expect, it } from 'vitest';
import { asked, begin, bridge, hear, say } from '../../../test/support/bridge.ts';
import { settled } from '../../../test/support/fake-world.ts';

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

  it('is left when the host calls something else', async () => {
    const { world, backend } = await bridge({ hasTalk: true });
    const opened = begin(backend, { tool: 'echo', dialect: 'gassist' });
    world.process.call.end({ ok: true, keepSession: true });
    await opened.answer;
    const other = begin(backend, { tool: 'other', dialect: 'gassist' });
    world.process.call.end({ ok: true, text: 'other' });
    expect(await other.answer).toEqual({ ok: true, text: 'other' });
  });

  it('is not begun for a host that could not go on with it', async () => {
    const { world, backend } = await bridge({ hasTalk: true });
    const opened = begin(backend, { tool: 'echo', dialect: 'mcp' });
    world.process.call.end({ ok: true, keepSession: true });
    expect(await opened.answer).toEqual({ ok: true, keepSession: true });
    begin(backend, { tool: 'other', dialect: 'mcp' });
    expect(world.process.call.request.tool).toBe('other');
  });
});

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
    const planned = hear((sink) => backend.planner?.createPlan({ userRequest: 'x' }, around, sink));
    world.process.call.end();
    expect(await planned.answer).toEqual({ ok: true, data: { asked: { userRequest: 'x' } } });
    const done = hear((sink) => backend.executor?.executeTask({ type: 't', prompt: 'p' }, around, sink));
    world.process.call.end();
    expect(await done.answer).toMatchObject({ ok: true, data: { asked: { prompt: 'p' } } });
    const validated = hear((sink) => backend.executor?.validateCode?.({ code: 'c' }, around, sink));
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
    expect(backend.profile.tools).toEqual([{ name: 'own' }]);
  });

  it('let the extractor that is surest of a file extract it', async () => {
    const { world, backend } = await bridge(
      {
        manifest: { extractor: { formats: [], extensions: ['.txt'] } },
        facets: (start) => ({
          extractor: {
            supports: async ({ extension }) => ({ supported: extension === '.txt', confidence: 0.5 }),
            extract: (source, _, sink) => start(asked('extract', source), sink),
          },
        }),
      },
      ['second'],
    );
    const extract = (extension: string) =>
      hear((sink) =>
        backend.extractor?.extract(
          { kind: 'path', path: 'a' },
          { extension },
          {},
          { dialect: 'mcp', timeoutMs: 1000 },
          sink,
        ),
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
    const told = backend.updateContext?.(update);
    world.process.call.end({ ok: false, error: { code: 'CALL_TIMEOUT', message: 'Too late.' } });
    await expect(told).rejects.toMatchObject({ code: 'TIMEOUT', message: 'Too late.' });
  });
});
