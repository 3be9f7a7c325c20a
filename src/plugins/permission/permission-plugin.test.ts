import { describe, expect, test } from 'vitest';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Gate } from '../../gate/gate.ts';
import type { DefaultPolicy, PolicyView, Verdict } from '../../gate/policy/policy.ts';
import { permissionPlugin } from './permission-plugin.ts';

interface Asked {
  readonly name: string;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly intent?: string;
}

interface Setting {
  readonly verdict?: Verdict;
  readonly view?: Partial<PolicyView>;
  readonly config?: JsonObject;
}

const denied: Verdict = { kind: 'deny', method: 'deny-rule', reason: 'rm * is denied' };

function setUp({ verdict = denied, view = {}, config = {} }: Setting = {}) {
  const asked: Asked[] = [];
  const session = { allowAll: [] as string[], allow: [] as string[], deny: [] as string[] };
  let defaultPolicy: DefaultPolicy | undefined;
  // The parts of a gate that the plugin uses.
  const gate = {
    check: (name: string, args: JsonObject, caller: Caller) => {
      asked.push({ name, args, caller });
      return Promise.resolve(verdict);
    },
    askPermission: (name: string, args: JsonObject, caller: Caller, intent: string) => {
      asked.push({ name, args, caller, intent });
      return Promise.resolve({ allowed: true, reason: 'ann said yes', method: 'approval', more: 'not told' });
    },
    policy: {
      session: {
        allow: (pattern: string) => void session.allow.push(pattern),
        deny: (pattern: string) => void session.deny.push(pattern),
        setDefault: (policy: DefaultPolicy) => void (defaultPolicy = policy),
        clear: () => {
          session.allow.length = 0;
          session.deny.length = 0;
          defaultPolicy = undefined;
        },
      },
      view: (): PolicyView => ({
        defaultPolicy: 'deny',
        allow: ['git *'],
        deny: ['rm *'],
        session: { ...session, ...(defaultPolicy !== undefined && { defaultPolicy }) },
        sources: [],
        ...view,
      }),
    },
  } as unknown as Gate;
  const run = running(permissionPlugin({ gate: () => gate }));
  const ready = run.backend.setup(config);
  return {
    ...run,
    asked,
    ask: async (args: JsonObject, caller?: Caller) => {
      await ready;
      return (await run.call('askPermission', args, { caller })).answer;
    },
    permissions: async (action?: string, value?: string) => {
      await ready;
      const args = { ...(action !== undefined && { action }), ...(value !== undefined && { value }) };
      const request = { ...around, tool: 'permissions', args };
      return (
        await started((sink) => run.backend.commands?.run(request, sink) ?? { cancel: () => 'free' as const })
          .ended
      ).answer;
    },
    complete: (parameter: string, typed: string) =>
      run.backend.commands?.complete('permissions', parameter, typed),
  };
}

test('what it says of itself', () => {
  const { manifest } = setUp().backend;
  expect(manifest).toMatchObject({
    name: 'permission',
    tools: [{ name: 'askPermission', autoApprove: true, inputSchema: { required: ['tool_name', 'intent'] } }],
    commands: [{ name: 'permissions', shareWithModel: false }],
  });
  expect(manifest.commands?.[0]?.parameters).toMatchObject([
    { name: 'action' },
    { name: 'value', captureRest: true },
  ]);
  expect(manifest.instructions).toContain('askPermission');
});

describe('askPermission', () => {
  test('asks the gate as a model, and calls nothing', async () => {
    const { ask, asked } = setUp();
    const answer = await ask({ tool_name: 'web_search', intent: 'to look it up', arguments: { query: 'x' } });
    expect(answer).toMatchObject({
      ok: true,
      text: 'web_search may be called: ann said yes',
      data: { allowed: true, reason: 'ann said yes', method: 'approval', tool_name: 'web_search' },
    });
    expect(answer.data).not.toHaveProperty('more');
    expect(asked).toEqual([
      { name: 'web_search', args: { query: 'x' }, caller: { kind: 'model' }, intent: 'to look it up' },
    ]);
  });

  test.each<Caller>([{ kind: 'client', name: 'ide' }, { kind: 'job', name: 'nightly' }, { kind: 'user' }])(
    'asks for who really asks: %j',
    async (caller) => {
      const { ask, asked } = setUp();
      await ask({ tool_name: 'x', intent: 'y' }, caller);
      expect(asked).toEqual([{ name: 'x', args: {}, caller, intent: 'y' }]);
      const strict = setUp({ config: { ask: false } });
      await strict.ask({ tool_name: 'x', intent: 'y' }, caller);
      expect(strict.asked).toEqual([{ name: 'x', args: {}, caller }]);
    },
  );

  test.each<[Verdict, boolean]>([
    [{ kind: 'allow', method: 'allow-rule', reason: 'a rule' }, true],
    [{ kind: 'deny', method: 'deny-rule', reason: 'a rule' }, false],
    [{ kind: 'ask', method: 'default', reason: 'no rule', remembers: 'it' }, false],
  ])('with ask: false tells what the rules say: %j', async (verdict, allowed) => {
    const { ask, asked } = setUp({ verdict, config: { ask: false } });
    expect(await ask({ tool_name: 'x', intent: 'y' })).toMatchObject({
      data: { allowed, method: verdict.method },
    });
    expect(asked).toEqual([{ name: 'x', args: {}, caller: { kind: 'model' } }]);
  });

  test.each<JsonObject>([
    {},
    { tool_name: 'x' },
    { tool_name: '', intent: 'y' },
    { tool_name: 'x', intent: 'y', arguments: 'z' },
  ])('refuses %j', async (args) => {
    expect(await setUp().ask(args)).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  });
});

describe('permissions', () => {
  test('shows the rules', async () => {
    const { permissions } = setUp({
      view: {
        sources: [
          { file: '/home/ann/permissions.json', trusted: true },
          { file: './permissions.json', trusted: false },
        ],
      },
    });
    await permissions('allow', 'npm test');
    await permissions('default', 'ask');
    const expected = `What no rule names is asked about for this session; by the files it is denied.

Denied (1)
  rm *

Allowed in this session (1)
  npm test

Allowed (1)
  git *

Read from
  /home/ann/permissions.json
  ./permissions.json  (not trusted yet: what it allows does not count)`;
    for (const action of [undefined, 'show', 'SHOW'])
      expect(await permissions(action)).toMatchObject({
        ok: true,
        text: expected,
        data: { defaultPolicy: 'deny' },
      });
  });

  test('shows that all is allowed, and no more rules than it is to', async () => {
    const { permissions } = setUp({
      config: { max_shown: 2 },
      view: {
        allow: ['a', 'b', 'c'],
        deny: [],
        session: { allowAll: ['model'], allow: [], deny: [] },
      },
    });
    expect((await permissions()).text).toBe(
      'What no rule names is denied.\nEverything that no rule forbids is allowed to the model.\n\nAllowed (3)\n  a\n  b\n  … and 1 more\n\nThere is no permissions.json.',
    );
  });

  test.each<[string, JsonObject]>([
    ['web_search', {}],
    ['web_search {"query":"a b"}', { query: 'a b' }],
    ['web_search query=a max_results=3', { query: 'a', max_results: 3 }],
    ['cli_based_tool git status && rm -rf /', { command: 'git status && rm -rf /' }],
    ['cli_based_tool A=1 make', { command: 'A=1 make' }],
    ['cli_based_tool command=ls', { command: 'ls' }],
  ])('checks %s as a model would call it', async (value, args) => {
    const { permissions, asked } = setUp();
    const answer = await permissions('check', value);
    expect(asked).toEqual([{ name: value.split(' ')[0], args, caller: { kind: 'model' } }]);
    expect(answer.text).toMatch(/^Denied: .*\n {2}rm \* is denied \(deny-rule\)$/);
  });

  test('tells in a check what an answer would be about', async () => {
    const verdict: Verdict = {
      kind: 'ask',
      method: 'default',
      reason: 'no rule names it',
      remembers: 'git push',
    };
    const { permissions } = setUp({ verdict });
    expect((await permissions('check', 'x')).text).toBe(
      'Asked about: x\n  no rule names it (default)\n  A lasting answer would be about: git push',
    );
  });

  test('changes the rules of the session, and forgets them', async () => {
    const { permissions } = setUp();
    expect(await permissions('deny', 'curl *')).toMatchObject({ text: 'Denied for this session: curl *' });
    expect(await permissions('allow', 'git status')).toMatchObject({
      data: { session: { allow: ['git status'], deny: ['curl *'] } },
    });
    expect(await permissions('default', 'allow')).toMatchObject({
      text: 'For this session, what no rule names is allowed.',
      data: { session: { defaultPolicy: 'allow' } },
    });
    expect(await permissions('clear')).toMatchObject({
      data: { session: { allowAll: [] as string[], allow: [], deny: [] } },
    });
  });

  test.each<[string, string | undefined, string]>([
    ['alow', 'x', '"permissions alow" does not exist. Did you mean "allow"?'],
    ['allow', undefined, 'permissions allow needs a pattern'],
    ['deny', '  ', 'permissions deny needs a pattern'],
    ['allow', 'x'.repeat(2000), 'has 2000 characters'],
    ['default', undefined, 'Which one: allow, deny or ask?'],
    ['default', 'perhaps', '"perhaps" is not a policy'],
    ['check', undefined, 'The tool is missing.'],
    ['check', 'web_search {broken', 'are not a JSON object'],
    ['check', 'web_search some words', 'neither key=value nor a JSON object'],
    ['\u001B[2J', undefined, '"permissions \\u{1b}[2j" does not exist'],
  ])('says how %s %j is used', async (action, value, message) => {
    const answer = await setUp().permissions(action, value);
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    const said = answer.ok ? '' : answer.error.message;
    expect(said.toLowerCase()).toContain(message.toLowerCase());
    expect(said).toContain('Usage: permissions show');
  });

  test('prints nothing that a terminal would obey', async () => {
    const { permissions } = setUp({ view: { allow: ['a\u001B[31mb\nc\u202E'] } });
    expect((await permissions('show')).text).toContain('  a\\u{1b}[31mb\\nc\\u{202e}\n');
    expect((await permissions('allow', 'x\u0007')).text).toContain('x\\u{7}');
  });

  test('completes what is typed', async () => {
    const { complete } = setUp();
    expect(await complete('action', 'd')).toEqual(['deny', 'default']);
    expect(await complete('value', '')).toEqual(['allow', 'deny', 'ask', 'git *', 'rm *']);
    expect(await complete('value', 'gi')).toEqual(['git *']);
    expect(await complete('other', '')).toEqual([]);
  });
});
