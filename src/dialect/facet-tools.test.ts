import { describe, expect, test } from 'vitest';
import { scriptedBackend, type BackendScript } from '../../test/support/definition/scripted-backend.ts';
import type { JsonObject } from '../base/json.ts';
import type { Answer, CallSink } from '../definition/outcome.ts';
import { facetCollision, toolsWithFacets, withFacetTools } from './facet-tools.ts';

describe('facets are tools', () => {
  test('those that the backend has', () => {
    expect(toolsOf(scriptedBackend({ manifest: { tools: [{ name: 'own' }] } }))).toEqual(['own']);
    const { script } = recorded();
    expect(toolsOf(scriptedBackend({ ...script, manifest: { tools: [{ name: 'own' }] } }))).toEqual([
      'own',
      'extract',
      'create_plan',
      'execute_task',
      'validate_code',
    ]);
    const { validateCode: _, ...executor } = script.executor;
    expect(toolsOf(scriptedBackend({ executor }))).toEqual(['execute_task']);
  });

  test('only those for which a dialect has no words', () => {
    const backend = scriptedBackend({ ...recorded().script, manifest: { tools: [] } });
    const { manifest } = withFacetTools(backend, ['extractor']);
    expect(manifest.tools.map(({ name }) => name)).toEqual(['extract']);
  });

  test.each<[string, JsonObject, unknown]>([
    [
      'extract',
      { path: '/a.pdf', mimeType: 'application/pdf', options: { pages: 1 } },
      [{ kind: 'path', path: '/a.pdf' }, { mimeType: 'application/pdf', extension: '.pdf' }, { pages: 1 }],
    ],
    [
      'extract',
      { path: 'note.md', content: 'aGk=', extension: '.txt' },
      [{ kind: 'bytes', bytes: Buffer.from('hi') }, { extension: '.txt' }, {}],
    ],
    ['extract', { path: 'README' }, [{ kind: 'path', path: 'README' }, {}, {}]],
    ['create_plan', { userRequest: 'Build it' }, [{ userRequest: 'Build it' }]],
    [
      'create_plan',
      {
        userRequest: 'Build it',
        currentState: { completedTasks: [1], pendingTasks: [], context: { a: 1 } },
        constraints: { maxTasks: 3, timeLimitSeconds: 60, budget: 'low' },
      },
      [
        {
          userRequest: 'Build it',
          currentState: { completedTasks: [1], pendingTasks: [], context: { a: 1 } },
          constraints: { maxTasks: 3, timeLimitSeconds: 60, more: { budget: 'low' } },
        },
      ],
    ],
    ['execute_task', { type: 'testing', prompt: 'Test it' }, [{ type: 'testing', prompt: 'Test it' }]],
    [
      'execute_task',
      {
        type: 'testing',
        prompt: 'Test it',
        context: {
          files: ['a.ts'],
          currentDirectory: '/w',
          dependencies: ['t1'],
          constraints: [{ rule: 1 }],
          idempotencyKey: 'k',
          mood: 'good',
        },
        options: { language: 'ts', framework: 'none', styleGuide: 'ours', tabs: false },
      },
      [
        {
          type: 'testing',
          prompt: 'Test it',
          context: {
            files: ['a.ts'],
            currentDirectory: '/w',
            dependencies: ['t1'],
            constraints: [{ rule: 1 }],
            idempotencyKey: 'k',
            more: { mood: 'good' },
          },
          options: { language: 'ts', framework: 'none', styleGuide: 'ours', more: { tabs: false } },
        },
      ],
    ],
    [
      'validate_code',
      { code: 'let a', language: 'js', rules: ['no-unused'] },
      [{ code: 'let a', language: 'js', rules: ['no-unused'] }],
    ],
  ])('%s %j asks for %j', async (tool, args, question) => {
    const { script, asked } = recorded();
    expect(await called(script, tool, args)).toEqual({ ok: true, text: 'asked' });
    expect(asked).toEqual([question]);
  });

  test.each<[string, JsonObject, string]>([
    ['extract', { content: 'aGk=' }, 'path'],
    ['create_plan', {}, 'userRequest'],
    ['execute_task', { type: 'testing', prompt: 7 }, 'prompt'],
    ['validate_code', { code: 'x', rules: 'all' }, 'rules'],
  ])('%s %j is refused', async (tool, args, word) => {
    const { script, asked } = recorded();
    const answer = await called(script, tool, args);
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    expect(JSON.stringify(answer)).toContain(JSON.stringify(word).slice(1, -1));
    expect(asked).toEqual([]);
  });

  test('a facet that is not there is an unknown tool', async () => {
    expect(await called({}, 'extract', { path: '/a' })).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  });
});

test('a tool of the same name is a collision; when it comes later, it wins', async () => {
  const { script, asked } = recorded();
  expect(facetCollision(scriptedBackend(script))).toBeUndefined();
  const backend = scriptedBackend({ ...script, manifest: { tools: [{ name: 'create_plan' }] } });
  expect(facetCollision(backend)).toContain('has a tool "create_plan"');
  expect(toolsOf(backend).filter((name) => name === 'create_plan')).toHaveLength(1);
  expect(
    await called({ ...script, manifest: { tools: [{ name: 'create_plan' }] } }, 'create_plan', {}),
  ).toEqual({
    ok: true,
    text: 'done',
  });
  expect(asked).toEqual([]);
});

describe('what the user says', () => {
  const talk: BackendScript['talk'] = {
    input: (content, sink, { dialect, timeoutMs } = {}) => {
      sink.end({ ok: true, text: `${content} in ${dialect} within ${timeoutMs}`, keepSession: true });
      return { cancel: () => 'free' as const };
    },
  };
  const scripts: BackendScript['scripts'] = {
    ask: (_, sink) => sink.end({ ok: true, text: 'Who?', keepSession: true }),
    plain: (_, sink) => sink.end({ ok: true, text: 'plain' }),
  };

  test('is a tool where somebody would hear it, and the dialect has no words for it', () => {
    const offer = withFacetTools(scriptedBackend({ scripts, talk }));
    expect(offer.manifest.tools.at(-1)).toMatchObject({ name: 'say', facet: 'talk' });
    expect(offer.say).toBe('say');
    const silent = [
      withFacetTools(scriptedBackend({ scripts })),
      withFacetTools(scriptedBackend({ scripts, talk }), ['extractor', 'planner', 'executor']),
    ];
    for (const { manifest, say } of silent) {
      expect(manifest.tools.map(({ name }) => name)).toEqual(['ask', 'plain']);
      expect(say).toBeUndefined();
    }
  });

  test('goes to the plugin while a tool waits for it', async () => {
    const { call } = offered({ scripts, talk });
    expect(await call('say', { content: 'hello?' })).toMatchObject({ error: { code: 'NOT_TALKING' } });
    expect(await call('ask')).toEqual({ ok: true, text: 'Who?', keepSession: true });
    expect(await call('say', { content: 'Ada' })).toEqual({
      ok: true,
      text: 'Ada in mcp within 5000',
      keepSession: true,
    });
    expect(await call('say', { content: 7 })).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
    expect(await call('plain')).toEqual({ ok: true, text: 'plain' });
    expect(await call('say', { content: 'Ada' })).toMatchObject({ error: { code: 'NOT_TALKING' } });
  });

  test('has another name beside a tool of that name, also one that comes later', async () => {
    const { call, backend, offer } = offered({ scripts, talk });
    await call('ask');
    backend.changeManifest({ tools: [{ name: 'ask' }, { name: 'say' }] });
    expect(facetCollision(backend)).toBeUndefined();
    expect(offer.say).toBe('say_2');
    expect(await call('say_2', { content: 'Ada' })).toMatchObject({ ok: true, keepSession: true });
    expect(await call('say')).toEqual({ ok: true, text: 'done' });
  });

  test('is over when something is asked beside the tools', async () => {
    const { call, offer } = offered({ scripts, talk });
    await call('ask');
    offer.leave();
    expect(await call('say', { content: 'Ada' })).toMatchObject({ error: { code: 'NOT_TALKING' } });
  });

  test('stands in what is told of a plugin that does not run', () => {
    const { manifest } = scriptedBackend({
      ...recorded().script,
      manifest: { tools: [{ name: 'say' }], talks: true, planner: true },
    });
    const names = (facets: Parameters<typeof toolsWithFacets>[1]) =>
      toolsWithFacets(manifest, facets).map(({ name }) => name);
    expect(names(['planner', 'talk'])).toEqual(['say', 'create_plan', 'say_2']);
    expect(names(['executor'])).toEqual(['say']);
  });
});

/** What a host of MCP can call, one after the other. */
function offered(script: BackendScript) {
  const backend = scriptedBackend(script);
  const offer = withFacetTools(backend);
  const call = (tool: string, args: JsonObject = {}) =>
    new Promise<Answer>((resolve) => {
      offer.call({ tool, args, timeoutMs: 5000, dialect: 'mcp' }, { event: () => {}, end: resolve });
    });
  return { backend, offer, call };
}

function toolsOf(backend: ReturnType<typeof scriptedBackend>): string[] {
  return withFacetTools(backend).manifest.tools.map(({ name }) => name);
}

function called(script: BackendScript, tool: string, args: JsonObject): Promise<Answer> {
  return new Promise((resolve) => {
    withFacetTools(scriptedBackend(script)).call(
      { tool, args, timeoutMs: Infinity, dialect: 'mcp' },
      { event: () => {}, end: resolve },
    );
  });
}

/** All facets; they keep what they are asked. */
function recorded() {
  const asked: unknown[] = [];
  const answer = (question: unknown[], sink: CallSink) => {
    asked.push(question);
    sink.end({ ok: true, text: 'asked' });
    return { cancel: () => 'free' as const };
  };
  const script = {
    extractor: {
      supports: async () => ({ supported: true, confidence: 1 }),
      extract: ({ source, type, options }, sink) => answer([source, type, options], sink),
    },
    planner: { createPlan: (request, sink) => answer([request], sink) },
    executor: {
      executeTask: (request, sink) => answer([request], sink),
      validateCode: (request, sink) => answer([request], sink),
    },
  } satisfies BackendScript;
  return { script, asked };
}
