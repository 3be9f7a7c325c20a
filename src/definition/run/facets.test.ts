// What a plugin can be asked for beside tools.
import { describe, expect, test } from 'vitest';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import type { TaskHost } from '../plugin-port.ts';
import type { CallInfo } from '../outcome.ts';
import { textOf } from '../../base/text.ts';
import { definePlugin } from '../define-plugin.ts';
import type { ContextUpdate, ExtractSource, FileType } from '../plan.ts';
import { fail } from '../failure.ts';

const about = { name: 'sample', version: '1.0.0' };

describe('an extractor', () => {
  const { backend } = running(
    definePlugin({
      ...about,
      extractor: {
        formats: ['text/markdown'],
        extensions: ['.md'],
        extract: async ({ read, type, options }) => ({
          text: Buffer.from(await read()).toString(),
          metadata: { ...type, ...options },
        }),
      },
    }),
  );

  const extract = (source: ExtractSource, type: FileType) =>
    started((sink) => backend.extractor!.extract({ source, type, options: { depth: 1 } }, sink, around))
      .ended;

  test('takes files by format, then by extension', async () => {
    const supports = (type: FileType) => backend.extractor!.supports(type);
    expect(await supports({ mimeType: 'Text/Markdown; charset=utf-8' })).toMatchObject({
      supported: true,
      confidence: 1,
    });
    expect(await supports({ mimeType: 'text/plain', extension: '.MD' })).toMatchObject({
      supported: true,
      method: 'extension',
    });
    expect(await supports({ mimeType: 'text/plain' })).toEqual({ supported: false, confidence: 0 });
  });

  test('reads from a path or from bytes, and tells text apart from the rest', async () => {
    expect((await extract({ kind: 'path', path: '/a.md' }, {})).answer).toEqual({
      ok: true,
      text: 'the file /a.md',
      data: { metadata: { extension: '.md', depth: 1 } },
    });
    const bytes = Buffer.from('# hi');
    expect((await extract({ kind: 'bytes', bytes }, { mimeType: 'text/markdown' })).answer).toMatchObject({
      text: '# hi',
    });
  });

  test('refuses what it does not take, with what it does', async () => {
    expect((await extract({ kind: 'path', path: '/a.png' }, { mimeType: 'image/png' })).answer).toEqual({
      ok: false,
      error: {
        code: 'UNSUPPORTED',
        reason: 'UnsupportedFormat',
        message: 'The extractor of plugin "sample" takes text/markdown, .md; got image/png, .png.',
        data: { supported_formats: ['text/markdown'] },
      },
    });
  });

  test.each<[string, () => boolean | Promise<boolean>, boolean]>([
    ['that says yes', () => true, true],
    ['that says no', async () => false, false],
    ['that fails is not asked', () => fail('broken'), true],
  ])('with a supports of its own %s', async (_, supports, supported) => {
    const { backend } = running(
      definePlugin({ ...about, extractor: { extensions: ['.md'], supports, extract: () => '' } }),
    );
    expect(await backend.extractor!.supports({ extension: '.md' })).toMatchObject({ supported });
  });

  test('with a supports of its own that never answers is not waited for', async () => {
    const { backend, clock } = running(
      definePlugin({
        ...about,
        extractor: { extensions: ['.md'], supports: () => new Promise(() => {}), extract: () => '' },
      }),
    );
    const told = backend.extractor!.supports({ extension: '.md' });
    clock.advance(2500);
    expect(await told).toMatchObject({ supported: true });
  });
});

describe('a planner', () => {
  const plan = { tasks: [{ id: 't1', type: 'analysis', description: 'look' }] };
  const create = (createPlan: () => unknown, host?: TaskHost) => {
    const { backend } = running(definePlugin({ ...about, planner: { createPlan: createPlan as never } }));
    const given: CallInfo & { host?: TaskHost } = host === undefined ? around : { ...around, host };
    return started((sink) => backend.planner!.createPlan({ userRequest: 'do it' }, sink, given)).ended;
  };

  test('answers with a plan', async () => {
    expect((await create(async () => plan)).answer).toEqual({ ok: true, data: plan });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'look, then leap'],
    ['tasks without an id', { tasks: [{ type: 'analysis', description: 'look' }] }],
  ])('that gives %s has failed', async (_, given) => {
    expect((await create(() => given)).answer).toMatchObject({
      ok: false,
      error: { code: 'INTERNAL', message: expect.stringContaining('expected a plan') as string },
    });
  });

  test('may have its host do tasks, or is told that it does none', async () => {
    const asking = definePlugin({
      ...about,
      planner: {
        createPlan: async (_, { host }) => {
          const explanation = JSON.stringify(await host.executeTask({ type: 'analysis', prompt: 'look' }));
          return { tasks: [], explanation };
        },
      },
    });
    const ask = (host?: TaskHost) => {
      const given = host === undefined ? around : { ...around, host };
      const { planner } = running(asking).backend;
      return started((sink) => planner!.createPlan({ userRequest: 'do it' }, sink, given)).ended;
    };
    const host = { executeTask: async () => ({ status: 'success' }), validateCode: async () => null };
    expect((await ask(host)).answer).toMatchObject({ data: { explanation: '{"status":"success"}' } });
    expect((await ask()).answer).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  });
});

describe('an executor', () => {
  const execute = (executeTask: () => unknown) => {
    const { executor } = running(definePlugin({ ...about, executor: { executeTask } })).backend;
    return started((sink) => executor!.executeTask({ type: 'analysis', prompt: 'look' }, sink, around)).ended;
  };

  test('answers with a result; a text is the explanation', async () => {
    expect((await execute(() => ({ code: 'x', filesCreated: ['a'] }))).answer).toEqual({
      ok: true,
      data: { code: 'x', filesCreated: ['a'] },
    });
    expect((await execute(() => 'because')).answer).toEqual({ ok: true, data: { explanation: 'because' } });
    expect((await execute(() => {})).answer).toEqual({ ok: true, data: {} });
    expect((await execute(() => 7)).answer).toMatchObject({ error: { code: 'INTERNAL' } });
  });

  test('validates code only where it can', async () => {
    const verdict = { valid: false, findings: [{ rule: 'r', severity: 'error', message: 'm' }] } as const;
    const of = (validateCode: () => unknown) => {
      const definition = definePlugin({
        ...about,
        executor: { executeTask: () => '', validateCode: validateCode as () => typeof verdict },
      });
      const { executor } = running(definition).backend;
      return started((sink) => executor!.validateCode!({ code: 'x' }, sink, around)).ended;
    };
    expect((await of(() => verdict)).answer).toEqual({ ok: true, data: verdict });
    expect((await of(() => true)).answer).toMatchObject({ error: { code: 'INTERNAL' } });
    const { executor } = running(definePlugin({ ...about, executor: { executeTask: () => '' } })).backend;
    expect(executor).not.toHaveProperty('validateCode');
  });
});

test('a context update reaches the author, and its failure the host', async () => {
  const updates: unknown[] = [];
  const { backend } = running(
    definePlugin({
      ...about,
      updateContext: (update) => {
        if (update.action === 'remove') fail({ code: 'UNSUPPORTED', message: 'never' });
        updates.push(update);
      },
    }),
  );
  const update = { action: 'add', type: 'file', data: { path: 'a' } } as const;
  const send = (sent: ContextUpdate) => started((sink) => backend.updateContext!(sent, sink)).ended;
  expect((await send(update)).answer).toEqual({ ok: true });
  expect(updates).toEqual([update]);
  expect((await send({ ...update, action: 'remove' })).answer).toMatchObject({
    ok: false,
    error: { code: 'UNSUPPORTED' },
  });
});

test('commands run with their parameters and complete what is typed', async () => {
  const { backend } = running(
    definePlugin({
      ...about,
      commands: {
        open: {
          parameters: [{ name: 'file', required: true }],
          handler: ({ file }) => `opened ${textOf(file)}`,
          complete: (parameter, typed) => [`${parameter}:${typed}`, 7 as never],
        },
        broken: { handler: () => '', complete: () => fail('no') },
      },
    }),
  );
  const { commands } = backend;
  const run = (tool: string, args = {}) =>
    started((sink) => commands!.run({ ...around, tool, args }, sink)).ended;
  expect((await run('open', { file: 'a' })).answer).toEqual({ ok: true, text: 'opened a' });
  expect((await run('open')).answer).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  expect((await run('opne')).answer).toMatchObject({
    error: { code: 'UNKNOWN_TOOL', message: 'Plugin "sample" has no command "opne". Did you mean "open"?' },
  });
  expect(await commands!.complete('open', 'file', 'a')).toEqual(['file:a']);
  expect(await commands!.complete('broken', 'file', 'a')).toEqual([]);
  expect(await commands!.complete('none', 'file', 'a')).toEqual([]);
});
