// The plugin as hosts, models and people see it.
import { describe, expect, test, vi } from 'vitest';
import { catalog, setUpReferences } from '../../../test/support/plugins/references.ts';
import type { TerminalPort } from '../../outside/terminal.ts';

test('what it says of itself', () => {
  const { manifest } = setUpReferences().backend;
  expect(manifest.tools.map(({ name }) => name)).toEqual(['selectReferences', 'listReferences']);
  expect(manifest.tools.filter(({ autoApprove }) => autoApprove).map(({ name }) => name)).toEqual([
    'selectReferences',
    'listReferences',
  ]);
  expect(manifest.commands?.map(({ name, shareWithModel }) => [name, shareWithModel])).toEqual([
    ['selectReferences', true],
    ['listReferences', true],
  ]);
});

test('after setup, the instructions have automatic sources in full and the tags of the others', async () => {
  const { backend } = setUpReferences();
  expect(backend.manifest.instructions).toBeUndefined();
  await backend.setup({});
  expect(backend.manifest.instructions).toContain('1. Use TypeScript');
  expect(backend.manifest.instructions).toContain('Tags: REST, api, auth, style');
  expect(backend.manifest.instructions).not.toContain('GET /users');
});

test('lists, by tags and mode', async () => {
  const { call } = setUpReferences();
  expect(await call('listReferences', { filter_tags: ['API'] })).toMatchObject({
    ok: true,
    data: {
      total: 2,
      selected_count: 0,
      sources: [
        {
          id: 'api',
          name: 'API',
          description: 'The API',
          type: 'local',
          mode: 'selectable',
          tags: ['api', 'REST'],
          selected: false,
          access: 'File: ./api.md',
        },
        { id: 'wiki', access: 'MCP: Wiki/get' },
      ],
    },
  });
  expect(await call('listReferences', { mode: 'auto' })).toMatchObject({
    data: { total: 1, sources: [{ id: 'rules', access: 'Inline content' }] },
  });
  expect(await call('listReferences', { mode: 'selectable' })).toMatchObject({ data: { total: 3 } });
  expect(await call('listReferences', { filter_tags: ['nothing'] })).toMatchObject({
    data: { sources: [], total: 0, message: 'No reference sources available.' },
  });
  expect(await call('listReferences', { mode: 'some' })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS' },
  });
});

describe('selecting', () => {
  test('gives the content of what was chosen, once', async () => {
    const { call, shown, printed } = setUpReferences({ typed: '1,3' });
    const answer = await call('selectReferences', { context: 'the login' });
    expect(answer).toMatchObject({ ok: true, data: { status: 'success', selected_count: 2 } });
    const { sources } = answer.data as { sources: string };
    expect(sources).toContain('GET /users');
    expect(sources).toContain('From the wiki');
    expect(sources).not.toContain('From the page');
    expect(shown[0]).toContain('Context: the login');
    expect(printed).toEqual(['2 reference sources are selected and given to the model.']);
    expect(await call('listReferences')).toMatchObject({ data: { selected_count: 2 } });
    // What is left is a list of one.
    const rest = await call('selectReferences', { filter_tags: ['style', 'api'] });
    expect(rest).toMatchObject({ data: { status: 'none_selected' } });
    expect(shown.at(-1)).not.toContain('[2]');
  });

  test.each([
    ['none', 'User did not select any reference sources.'],
    ['', 'User did not select any reference sources.'],
  ])('%j is nothing', async (typed, message) => {
    const { call, printed } = setUpReferences({ typed });
    expect(await call('selectReferences')).toMatchObject({
      ok: true,
      data: { status: 'none_selected', message },
    });
    expect(printed).toEqual(['No reference sources selected.']);
    expect(await call('listReferences')).toMatchObject({ data: { selected_count: 0 } });
  });

  test('nobody who chooses in time is nothing too', async () => {
    const asked = vi.fn<() => void>();
    const person: TerminalPort = {
      ask: (_text, _prompt, signal) =>
        new Promise((resolve) => {
          asked();
          signal.addEventListener('abort', () => resolve(undefined));
        }),
    };
    const { call, clock } = setUpReferences({ person });
    const answer = call('selectReferences');
    await expect.poll(() => asked, { interval: 1 }).toHaveBeenCalled();
    clock.advance(60_000);
    expect(await answer).toMatchObject({
      data: { status: 'none_selected', message: expect.stringContaining('in time') as string },
    });
  });

  test('two at once have one menu after the other', async () => {
    let open = 0;
    let most = 0;
    const person: TerminalPort = {
      ask: async () => {
        most = Math.max(most, (open += 1));
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return '1';
      },
    };
    const { call } = setUpReferences({ person });
    const answers = await Promise.all([call('selectReferences'), call('selectReferences')]);
    expect(most).toBe(1);
    expect(answers.map((answer) => (answer.data as { sources: string }).sources.slice(0, 7))).toEqual([
      '### API',
      '### Pag',
    ]);
  });

  test('with nothing to choose says so', async () => {
    expect(await setUpReferences({ files: {} }).call('selectReferences')).toMatchObject({
      data: { status: 'no_sources', message: 'No reference sources available.' },
    });
    expect(await setUpReferences().call('selectReferences', { filter_tags: ['x'] })).toMatchObject({
      data: { status: 'no_sources', message: 'No additional reference sources available for selection.' },
    });
  });
});

describe('a project that is not trusted', () => {
  test('tells models nothing; that is in the log and in the list, and once it is trusted it counts', async () => {
    const trusted = { value: false };
    const { backend, call, logged, cwd } = setUpReferences({ trusted });
    await backend.setup({});
    const words = `pluglot trust add ${cwd}`;
    expect(backend.manifest.instructions).toBeUndefined();
    expect(logged).toEqual([{ level: 'warn', message: expect.stringContaining(words) as string }]);
    for (const tool of ['listReferences', 'selectReferences'])
      expect(await call(tool)).toMatchObject({
        data: { problems: [expect.stringContaining(words) as string] },
      });
    expect(logged).toHaveLength(1);
    let changes = 0;
    backend.onManifestChanged(() => (changes += 1));
    trusted.value = true;
    expect(await call('listReferences')).toMatchObject({ data: { total: 4 } });
    expect(backend.manifest.instructions).toContain('1. Use TypeScript');
    expect(changes).toBe(1);
    await call('listReferences');
    expect(changes).toBe(1);
  });
});

test('automatic sources of every type are in the instructions; a server that comes later brings its own', async () => {
  const tools = new Set<string>();
  const { backend, call } = setUpReferences({
    tools,
    files: {
      'references.json': { sources: catalog.sources.map((source) => ({ ...source, mode: 'auto' })) },
      'api.md': 'GET /users',
    },
  });
  await backend.setup({});
  const text = () => backend.manifest.instructions ?? '';
  expect(text()).toContain('GET /users');
  expect(text()).toContain('From the page');
  expect(text()).not.toContain('From the wiki');
  expect(text()).toContain(
    '**Not included**: the tool "get" of the server "Wiki" is not available; connect the server.',
  );
  tools.add('Wiki__get');
  await call('listReferences');
  expect(text()).toContain('From the wiki');
});

describe('commands', () => {
  test('list for people, with tags as they are typed', async () => {
    const { command } = setUpReferences();
    const answer = await command('listReferences', { mode: 'selectable', filter_tags: 'style, auth' });
    expect(answer).toMatchObject({ ok: true, data: { total: 2 } });
    expect(answer.text?.split('\n')).toEqual([
      'page  Page  (not selected)',
      '    URL: https://example.org/page   Tags: style',
      'wiki  Wiki  (not selected)',
      '    MCP: Wiki/get   Tags: auth, api',
    ]);
    expect(await command('listReferences', { mode: 'style' })).toMatchObject({ data: { total: 1 } });
    expect(await command('listReferences')).toMatchObject({ data: { total: 4 } });
    expect(
      (await setUpReferences({ files: {}, trusted: { value: true } }).command('listReferences')).text,
    ).toBe('No reference sources available.');
  });

  test('select', async () => {
    const { command } = setUpReferences();
    const answer = await command('selectReferences', { filter_tags: 'REST' });
    expect(answer).toMatchObject({ ok: true, data: { status: 'success', selected_count: 1 } });
    expect(answer.text).toContain('GET /users');
  });

  test('complete tags and modes', async () => {
    const { backend } = setUpReferences();
    await backend.setup({});
    const complete = (tool: string, parameter: string, typed: string) =>
      backend.commands?.complete(tool, parameter, typed);
    expect(await complete('selectReferences', 'filter_tags', 'a')).toEqual(['api', 'auth']);
    expect(await complete('selectReferences', 'filter_tags', 'style,r')).toEqual([
      'style,REST',
      'style,rules',
    ]);
    expect(await complete('listReferences', 'mode', 'a')).toEqual(['all', 'auto', 'api', 'auth']);
    expect(await complete('selectReferences', 'context', 'a')).toEqual([]);
  });
});

test('what was chosen is forgotten when the plugin ends', async () => {
  const { call, backend } = setUpReferences();
  await call('selectReferences');
  await backend.teardown();
  expect(await call('listReferences')).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
});
