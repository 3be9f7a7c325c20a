import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, endOf, policyOf, shellCall, someSandbox } from '../../../test/support/gate/policy.ts';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createPolicy } from './create-policy.ts';
import type { PermissionsFile } from './file/permissions-file.ts';

const empty = createPolicy({ cwd: '/work', home: '/home/me' });

describe('without any file', () => {
  test.for(['model', 'job', 'client'] as const)('what a %s wants is asked about', (kind) => {
    const verdict = empty.decide(call('read_file', {}, { caller: { kind } }));
    expect(verdict).toMatchObject({
      kind: 'ask',
      method: 'default',
      remembers: `the tool read_file with exactly these arguments, by the ${kind}`,
      remembersTool: `the tool read_file with any arguments, by the ${kind}`,
    });
  });

  test('what a person types is allowed', () => {
    const user = { caller: { kind: 'user' } } as const;
    expect(empty.decide(call('read_file', {}, user))).toMatchObject({ kind: 'allow', method: 'user' });
    expect(empty.decide(shellCall('rm x', [], user))).toMatchObject({ kind: 'allow', method: 'user' });
  });

  test('what needs no question by the word of its plugin is allowed', () => {
    expect(empty.decide(call('x', {}, { isAutoApproved: true }))).toMatchObject({
      kind: 'allow',
      method: 'auto-approved',
    });
  });
});

test('a file without a default denies', () => {
  expect(policyOf({}).decide(call('x'))).toMatchObject({ kind: 'deny', method: 'default' });
});

test('a command line is decided on at once, but for the first that needs the sandbox', async () => {
  const whitelist = { patterns: ['git *'] };
  const policy = policyOf({ whitelist });
  expect(policy.decide(shellCall('git status'))).toMatchObject({ kind: 'allow', method: 'allow-rule' });
  expect(policy.decide(shellCall('git status; git log'))).toMatchObject({ kind: 'allow' });
  const early = policyOf({ whitelist }, { sandbox: () => Promise.resolve(someSandbox) });
  const later = early.decide(shellCall('git status; git log'));
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toMatchObject({ kind: 'allow' });
  expect(early.decide(shellCall('git status', [], { caller: { kind: 'user' } }))).toMatchObject({
    kind: 'allow',
  });
});

describe('names of tools', () => {
  const subject = call('gh__search', {}, { plugin: 'gh', ownName: 'search' });
  test.for(['gh__search', 'gh__*', '*', 'gh__sear?h'])('%s is this one', (name) => {
    expect(policyOf({ whitelist: { tools: [name] } }).decide(subject)).toMatchObject({ kind: 'allow' });
  });
  test.for(['search', 'gh', 'other__search', 'gh__searchx', 'constructor'])('%s is not', (name) => {
    expect(policyOf({ whitelist: { tools: [name] } }).decide(subject)).toMatchObject({ kind: 'deny' });
  });
  test('one that is forbidden stays so when a second plugin makes its name longer', () => {
    const policy = policyOf({ defaultPolicy: 'allow', blacklist: { tools: ['search'] } });
    expect(policy.decide(subject)).toMatchObject({ kind: 'deny', method: 'deny-rule' });
  });
});

describe('patterns of calls', () => {
  const subject = call('delete_file', { path: 'tmp/a', force: true });
  test.for<[pattern: string, allowed: boolean]>([
    ['delete_file(*)', true],
    ['delete_file(force=true, path=tmp/*)', true],
    ['delete_file(path=tmp/*)', true],
    ['delete_file(path=tmp/*, !*)', false],
    ['delete_file(path=src/*)', false],
    ['delete_*', true],
    ['delete', false],
  ])('%s: %s', ([pattern, allowed]) => {
    const { kind } = policyOf({ whitelist: { patterns: [pattern] } }).decide(subject) as { kind: string };
    expect(kind).toBe(allowed ? 'allow' : 'deny');
  });
});

test('allow and deny are lists of calls and command lines alike', async () => {
  const policy = policyOf({
    allow: ['web_search', 'git *', { rule: 'npm test', network: true }],
    deny: ['x(path=/etc/*)', 'rm *'],
  });
  expect(policy.decide(call('web_search'))).toMatchObject({ kind: 'allow' });
  expect(await policy.decide(shellCall('git status && npm test'))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(call('x', { path: '/etc/x', a: 1 }))).toMatchObject({
    reason: 'A rule forbids it: x(path=/etc/*).',
  });
  expect(await policy.decide(shellCall('rm x'))).toMatchObject({ kind: 'deny', method: 'deny-rule' });
  expect(policy.view()).toMatchObject({ allow: ['web_search', 'git *', 'npm test'] });
});

describe('rules for arguments', () => {
  test('every argument that is named has to have one of the values', () => {
    const policy = policyOf({
      whitelist: { arguments: { fetch: { method: ['GET', 'HEAD'], host: ['*.example.com'] } } },
    });
    const ask = (args: Record<string, string>) => policy.decide(call('fetch', args));
    expect(ask({ method: 'GET', host: 'a.example.com' })).toMatchObject({ kind: 'allow' });
    expect(ask({ method: 'POST', host: 'a.example.com' })).toMatchObject({ kind: 'deny' });
    expect(ask({ method: 'GET' })).toMatchObject({ kind: 'deny' });
    expect(ask({ method: 'GETX', host: 'a.example.com' })).toMatchObject({ kind: 'deny' });
  });

  test('one that forbids holds for a part of the value', () => {
    const policy = policyOf({
      defaultPolicy: 'allow',
      blacklist: { arguments: { fetch: { url: ['169.254.'] } } },
    });
    expect(policy.decide(call('fetch', { url: 'http://169.254.169.254/' }))).toMatchObject({ kind: 'deny' });
    expect(policy.decide(call('fetch', { url: 'http://example.com/' }))).toMatchObject({ kind: 'allow' });
  });

  test('for the command of a command line they are commands with any words', async () => {
    const lists = { arguments: { cli_based_tool: { command: ['git', 'npm run'] } } };
    const policy = policyOf({ defaultPolicy: 'ask', whitelist: lists });
    expect(await policy.decide(shellCall('git status && npm run x'))).toMatchObject({ kind: 'allow' });
    expect(await policy.decide(shellCall('gitevil'))).toMatchObject({ kind: 'ask' });
    expect(await policy.decide(shellCall('git status && rm x'))).toMatchObject({ kind: 'ask' });
    const strict = policyOf({
      defaultPolicy: 'allow',
      blacklist: { arguments: { cli_based_tool: { command: ['rm -rf'] } } },
    });
    expect(await strict.decide(shellCall('ls; rm  -rf x'))).toMatchObject({ kind: 'deny' });
    expect(await strict.decide(shellCall('rm', ['-rf', 'x']))).toMatchObject({ kind: 'deny' });
  });
});

test('a deny rule wins over everything', async () => {
  const policy = policyOf({
    defaultPolicy: 'allow',
    blacklist: { tools: ['x'], patterns: ['rm *'] },
    whitelist: { tools: ['x', 'cli_based_tool'] },
  });
  policy.allowAll({ kind: 'model' });
  policy.session.allow('x');
  policy.remember(call('x'), 'allow', 'session');
  for (const kind of ['user', 'model', 'job', 'client'] as const) {
    const subject = call('x', {}, { caller: { kind }, isAutoApproved: true });
    expect(policy.decide(subject)).toMatchObject({ kind: 'deny', method: 'deny-rule' });
    expect(await policy.decide(shellCall('ls; rm x', [], { caller: { kind } }))).toMatchObject({
      kind: 'deny',
    });
  }
});

describe('a tool that is allowed as such', () => {
  const policy = policyOf({ defaultPolicy: 'ask', whitelist: { tools: ['cli_based_tool'] } });
  test('runs any command of plain words, in the sandbox', async () => {
    expect(endOf(await policy.decide(shellCall('git -c x=y log; rm -rf /')))).toBe('confined');
  });
  test.for(['$x', 'git "', 'f() { ls; }', 'git\u00a0status', 'A=b git log', 'git log > z'])(
    'but not %s',
    async (command) => {
      expect(await policy.decide(shellCall(command))).toMatchObject({ kind: 'ask', method: 'unreadable' });
    },
  );
});

test('what cannot be read is denied where that is the default, and never allowed by a default', async () => {
  expect(await policyOf({}).decide(shellCall('$x'))).toMatchObject({ kind: 'deny', method: 'unreadable' });
  expect(await policyOf({ defaultPolicy: 'allow' }).decide(shellCall('$x'))).toMatchObject({ kind: 'ask' });
});

describe('tools that run command lines', () => {
  const rules = {
    whitelist: { patterns: ['git *'] },
    blacklist: { patterns: ['rm *'] },
    defaultPolicy: 'ask',
  } as const;
  test('are named by the owner', () => {
    const policy = policyOf({ ...rules, shellTools: { sh__run: { command: 'line', args: 'words' } } });
    const run = (line: string, words: string[] = []) =>
      policy.decide(call('run', { line, words }, { plugin: 'sh', origin: 'process', isConfined: true }));
    expect(run('git status')).toMatchObject({ kind: 'allow', execution: undefined });
    expect(run('git', ['$x'])).toMatchObject({ kind: 'allow' });
    expect(run('git $x')).toMatchObject({ kind: 'ask' });
    expect(run('rm', ['x'])).toMatchObject({ kind: 'deny' });
  });

  test('in a plugin that is not confined need a rule that says so, or one for the tool', () => {
    const shellTools = { sh__run: { command: 'line' } };
    const run = (allow: PermissionsFile['allow'], line: string) =>
      policyOf({ defaultPolicy: 'ask', allow: allow ?? [], shellTools }).decide(
        call('run', { line }, { plugin: 'sh', origin: 'process' }),
      );
    expect(run(['git *'], 'git status')).toMatchObject({
      kind: 'ask',
      method: 'sandbox',
      reason: expect.stringContaining('is not confined') as string,
    });
    expect(run(['@read-only'], 'ls')).toMatchObject({ kind: 'ask', method: 'sandbox' });
    const free = { rule: 'git *', unsandboxed: true };
    expect(run([free], 'git status')).toMatchObject({ kind: 'allow' });
    expect(run([free, 'ls *'], 'git status && ls')).toMatchObject({ kind: 'ask', method: 'sandbox' });
    expect(run([free], 'git $x')).toMatchObject({ kind: 'ask', method: 'unreadable' });
    expect(run(['sh__run'], 'git status')).toMatchObject({ kind: 'allow' });
    expect(run(['sh__run'], 'git $x')).toMatchObject({ kind: 'ask', method: 'unreadable' });
  });

  test('not by the plugin: what only has the name of one is not allowed by rules for commands', () => {
    const policy = policyOf(rules);
    const foreign = { plugin: 'evil', origin: 'process' } as const;
    expect(policy.decide(call('cli_based_tool', { command: 'git status' }, foreign))).toMatchObject({
      kind: 'ask',
    });
    expect(policy.decide(call('cli_based_tool', { command: 'rm x' }, foreign))).toMatchObject({
      kind: 'deny',
    });
  });

  test('are those that are built in, under a longer name too', () => {
    const longer = { ...shellCall('git status'), name: 'cli__cli_based_tool' };
    expect(policyOf(rules).decide(longer)).toMatchObject({ kind: 'allow' });
  });

  test('with arguments of another shape are asked about', async () => {
    const policy = policyOf({ ...rules, whitelist: { tools: ['*'] } });
    for (const args of [{}, { command: 5 }, { command: 'git', args: 'x' }, { command: 'git', args: [5] }]) {
      const subject = call('cli_based_tool', args, { plugin: 'cli', origin: 'built-in' });
      expect(await policy.decide(subject)).toMatchObject({ kind: 'ask', method: 'unreadable' });
    }
  });
});

describe('classes', () => {
  const classes = {
    readOnly: { tools: ['get_*'], patterns: ['git status', 'git log *'] },
    destructive: { tools: ['delete_*'], patterns: ['git push *'] },
  };
  test('what only reads is allowed, what destroys is asked about', async () => {
    const policy = policyOf({ defaultPolicy: 'deny', classes });
    expect(policy.decide(call('get_page'))).toMatchObject({ kind: 'allow', method: 'class' });
    expect(policy.decide(call('delete_page'))).toMatchObject({ kind: 'ask', method: 'class' });
    expect(policy.decide(call('put_page'))).toMatchObject({ kind: 'deny', method: 'default' });
    expect(await policy.decide(shellCall('git status; git log -5'))).toMatchObject({
      kind: 'allow',
      method: 'class',
    });
    expect(await policy.decide(shellCall('git status; git push'))).toMatchObject({
      kind: 'ask',
      method: 'class',
    });
    expect(await policy.decide(shellCall('git status; ls'))).toMatchObject({
      kind: 'deny',
      method: 'default',
    });
  });

  test('go by what the owner says', () => {
    const policy = policyOf({
      classes: {
        readOnly: { tools: ['get_*'], policy: 'ask' },
        destructive: { tools: ['delete_*'], policy: 'deny' },
      },
    });
    expect(policy.decide(call('get_x'))).toMatchObject({ kind: 'ask' });
    expect(policy.decide(call('delete_x', {}, { isAutoApproved: true }))).toMatchObject({ kind: 'deny' });
  });

  test('a hint of a plugin tightens and never loosens', () => {
    const policy = policyOf({ defaultPolicy: 'allow' });
    expect(policy.decide(call('x', {}, { hints: { destructive: true } }))).toMatchObject({
      kind: 'ask',
      method: 'class',
    });
    expect(
      policy.decide(call('x', {}, { hints: { destructive: true }, isAutoApproved: true })),
    ).toMatchObject({ kind: 'ask' });
    expect(policyOf({}).decide(call('x', {}, { hints: { readOnly: true } }))).toMatchObject({ kind: 'deny' });
  });
});

describe('the session', () => {
  test('allows, denies, has a default, and forgets', async () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.session.allow('git *');
    policy.session.allow('web_search');
    policy.session.deny('git push *');
    expect(await policy.decide(shellCall('git status'))).toMatchObject({
      kind: 'allow',
      method: 'session-allow',
    });
    expect(policy.decide(call('web_search'))).toMatchObject({ kind: 'allow', method: 'session-allow' });
    expect(await policy.decide(shellCall('git push'))).toMatchObject({
      kind: 'deny',
      method: 'session-deny',
    });
    policy.session.setDefault('deny');
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'deny', method: 'session-default' });
    expect(policy.view().session).toEqual({
      allowAll: [],
      defaultPolicy: 'deny',
      allow: ['git *', 'web_search'],
      deny: ['git push *'],
    });
    policy.session.clear();
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'ask', method: 'default' });
    expect(policy.view().session).toEqual({ allowAll: [], allow: [], deny: [] });
  });

  test('completes rules of the file for one chain', async () => {
    const policy = policyOf({ defaultPolicy: 'ask', whitelist: { patterns: ['git *'] } });
    policy.session.allow('ls *');
    expect(await policy.decide(shellCall('git status && ls'))).toMatchObject({
      kind: 'allow',
      method: 'session-allow',
    });
    expect(await policy.decide(shellCall('git status && git log'))).toMatchObject({ method: 'allow-rule' });
  });

  test('refuses what is not a rule', () => {
    expect(() => empty.session.allow(' ')).toThrow(/git status/);
    expect(() => empty.session.allow('read(path')).toThrow(/its arguments cannot be read/);
    expect(() => empty.session.deny('x'.repeat(2000))).toThrow(/2000 characters/);
  });

  test('everything that is allowed at once is all but what is forbidden or may be', async () => {
    const policy = policyOf({ defaultPolicy: 'deny', blacklist: { patterns: ['rm *'] } });
    policy.allowAll({ kind: 'model' });
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'allow', method: 'allow-all' });
    expect(await policy.decide(shellCall('git -c x=y log'))).toMatchObject({
      kind: 'allow',
      method: 'allow-all',
      execution: { kind: 'as-written' },
    });
    expect(await policy.decide(shellCall('ls; rm x'))).toMatchObject({ kind: 'deny', method: 'deny-rule' });
    expect(await policy.decide(shellCall('$x'))).toMatchObject({ kind: 'deny', method: 'unreadable' });
    const free = policyOf({ defaultPolicy: 'deny' });
    free.allowAll({ kind: 'model' });
    expect(await free.decide(shellCall('$x'))).toMatchObject({ kind: 'allow', method: 'allow-all' });
  });
});

describe('answers', () => {
  test('about a command line are about exactly that', async () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    expect(policy.decide(shellCall('git status'))).toMatchObject({
      remembers: 'exactly this call: git status, by the model',
    });
    policy.remember(shellCall('git status'), 'allow', 'session');
    expect(policy.decide(shellCall('git status'))).toMatchObject({
      kind: 'allow',
      method: 'session-allow',
    });
    expect(policy.decide(shellCall('git', ['status']))).toMatchObject({ kind: 'ask' });
    expect(policy.decide(shellCall('git status -s'))).toMatchObject({ kind: 'ask' });
    expect(await policy.decide(shellCall('git status; rm x'))).toMatchObject({ kind: 'ask' });
  });

  test('are about the same call in any order of its arguments, at any depth', () => {
    const policy = policyOf({ defaultPolicy: 'allow' });
    policy.remember(call('x', { a: { b: 1, c: [{ d: 1, e: 2 }] }, f: 1 }), 'deny', 'session');
    expect(policy.decide(call('x', { f: 1, a: { c: [{ e: 2, d: 1 }], b: 1 } }))).toMatchObject({
      kind: 'deny',
    });
    expect(policy.decide(call('x', { f: 1, a: { c: [{ e: 1, d: 2 }], b: 1 } }))).toMatchObject({
      kind: 'allow',
    });
  });

  test('about a command line do not cover another folder, the background or more time', async () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    const run = (more: JsonObject) =>
      policy.decide({ ...shellCall('echo hi'), args: { command: 'echo hi', ...more } });
    policy.remember({ ...shellCall('echo hi'), args: { command: 'echo hi' } }, 'allow', 'session');
    expect(await run({})).toMatchObject({ kind: 'allow' });
    for (const more of [{ background: true }, { cwd: 'src' }, { timeout: 5 }, { args: [] }])
      expect(await run(more)).toMatchObject({ kind: 'ask' });
  });

  test('about another tool are about exactly these arguments', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    const decided = (args: JsonObject, more = {}) => policy.decide(call('x', args, more));
    policy.remember(call('x', { a: 1, b: 'x' }), 'allow', 'session');
    expect(decided({ b: 'x', a: 1 })).toMatchObject({ kind: 'allow', method: 'session-allow' });
    for (const args of [{}, { a: 1 }, { a: 2, b: 'x' }, { a: 1, b: 'x', c: 1 }, { a: '1', b: 'x' }])
      expect([args, decided(args)]).toMatchObject([args, { kind: 'ask' }]);
    expect(decided({ a: 1, b: 'x' }, { plugin: 'other' })).toMatchObject({ kind: 'ask' });
  });

  test('are about every call of a tool where the person has chosen that', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.remember(call('x', { a: 1 }), 'deny', 'session', 'tool');
    expect(policy.decide(call('x', { a: 2 }))).toMatchObject({ kind: 'deny', method: 'session-deny' });
    policy.remember(call('x', { a: 3 }), 'allow', 'session');
    expect(policy.decide(call('x', { a: 3 }))).toMatchObject({ kind: 'allow' });
    expect(policy.decide(call('x', {}, { plugin: 'other' }))).toMatchObject({ kind: 'ask' });
    expect(policy.decide(call('x', {}, { caller: { kind: 'user' } }))).toMatchObject({ kind: 'allow' });
  });

  test('have a rule that says the same, where one can', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    expect(policy.ruleFor?.(call('x', { a: 1 }), 'call')).toBe('some__x(a==1, !*)');
    expect(policy.ruleFor?.(call('x', { a: 1 }), 'tool')).toBe('some__x');
    expect(policy.ruleFor?.(shellCall('git  log', ['-5']), 'call')).toBe('git log -5');
    expect(policy.ruleFor?.(shellCall('git log; ls'), 'call')).toBeUndefined();
    expect(policy.ruleFor?.(shellCall('git log', ['a b']), 'call')).toBeUndefined();
    expect(policy.ruleFor?.(shellCall('git log'), 'tool')).toBeUndefined();
  });

  test.for([
    'echo',
    'e__py',
    'read_file',
    'cli_based_tool',
    'cli__cli_based_tool',
    'plan',
    'resource:file:///x',
  ])('about the line %s have a rule for that line, and for no tool or command of this name', async (line) => {
    const rule = policyOf({}).ruleFor?.(shellCall(line), 'call') ?? '';
    expect(rule).toBe(`{ "rule": "${line}" }`);
    const bySession = policyOf({ defaultPolicy: 'ask' });
    bySession.session.allow(rule);
    for (const policy of [policyOf({ defaultPolicy: 'ask', allow: [{ rule: line }] }), bySession]) {
      expect(await policy.decide(shellCall(line))).toMatchObject({ kind: 'allow', rules: [{ rule }] });
      expect(await policy.decide(shellCall('id'))).toMatchObject({ kind: 'ask' });
      expect(await policy.decide(shellCall(line, ['x']))).toMatchObject({ kind: 'ask' });
      const [plugin = '', own = line] = line.includes('__') ? line.split('__') : ['some'];
      const named = call(line, { a: 1 }, { plugin, ownName: own, isUnique: true });
      for (const kind of ['tool', 'command', 'resource', 'prompt'] as const)
        expect(await policy.decide({ ...named, kind })).toMatchObject({ kind: 'ask' });
      expect(policy.isNamed?.(named)).toBe(false);
    }
  });

  test('about a line deny that line, and no tool of its name', async () => {
    const policy = policyOf({ defaultPolicy: 'allow', deny: [{ rule: 'echo' }] });
    expect(await policy.decide(shellCall('echo'))).toMatchObject({
      kind: 'deny',
      rules: [{ rule: '{ "rule": "echo" }', file: '/home/me/permissions.json' }],
    });
    expect(await policy.decide(call('echo', { a: 1 }))).toMatchObject({ kind: 'allow' });
  });

  test.for([
    '"@read-only"',
    "'@read-only' x",
    '"*"',
    '"e__*"',
    "'*' a",
    'echo "a*"',
    "echo 'a?'",
    "echo '[*]'",
    "'e__echo(a=1)'",
    "'e__py()'",
    `'{"rule":"x"}'`,
    '"-x" y',
    'git log; ls',
    'git log $x',
  ])('have no rule where none is exact: %s', (line) => {
    expect(policyOf({}).ruleFor?.(shellCall(line), 'call')).toBeUndefined();
  });

  test('have no rule where rules for commands do not allow the tool', () => {
    const policy = policyOf({ shellTools: { remote__run: { command: 'command' } } });
    const run = call('run', { command: 'git log' }, { plugin: 'remote', origin: 'process' });
    expect(policy.ruleFor?.(run, 'call')).toBeUndefined();
    expect(policy.ruleFor?.({ ...run, isConfined: true }, 'call')).toBe('git log');
    const imitation = shellCall('git log', [], { plugin: 'evil', origin: 'process', isConfined: true });
    expect(policy.ruleFor?.(imitation, 'call')).toBeUndefined();
  });

  test('hold for the turn', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.remember(call('x'), 'allow', 'turn');
    policy.remember(call('y'), 'allow', 'session');
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'allow' });
    policy.endTurn();
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'ask' });
    expect(policy.decide(call('y'))).toMatchObject({ kind: 'allow' });
  });

  test('hold until nothing was decided for five minutes', () => {
    const clock = fakeClock();
    const policy = policyOf({ defaultPolicy: 'ask' }, { clock });
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'ask' });
    policy.remember(call('x'), 'allow', 'idle');
    for (let minutes = 0; minutes < 12; minutes += 4) {
      clock.advance(4 * 60_000);
      expect(policy.decide(call('x'))).toMatchObject({ kind: 'allow' });
    }
    clock.advance(5 * 60_000);
    expect(policy.decide(call('x'))).toMatchObject({ kind: 'ask' });
  });
});

test('a broken file denies everything but what a person types', async () => {
  const sources = [
    { file: '/p/permissions.json', folder: '/p', trusted: true, broken: 'line 3: no JSON' },
    {
      file: '/h/permissions.json',
      folder: '/p',
      trusted: true,
      content: {
        defaultPolicy: 'allow',
        whitelist: { tools: ['*'] },
        blacklist: { tools: ['never'] },
      } as const,
    },
  ];
  const policy = createPolicy({ permissions: { sources, problems: [] }, cwd: '/p', home: '/h' });
  policy.allowAll({ kind: 'model' });
  expect(policy.decide(call('x', {}, { isAutoApproved: true }))).toEqual({
    kind: 'deny',
    method: 'broken',
    reason: 'Nothing is allowed until the permissions are fixed: /p/permissions.json: line 3: no JSON',
  });
  expect(await policy.decide(shellCall('git status'))).toMatchObject({ kind: 'deny' });
  expect(policy.decide(call('x', {}, { caller: { kind: 'user' } }))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(call('never', {}, { caller: { kind: 'user' } }))).toMatchObject({ kind: 'deny' });
});

test('rules for commands hold inside of the folder', async () => {
  const policy = policyOf({
    defaultPolicy: 'ask',
    whitelist: { patterns: ['git *'] },
    blacklist: { patterns: ['rm *'] },
  });
  const run = (command: string, cwd: string) =>
    policy.decide({ ...shellCall(command), args: { command, cwd } });
  expect(await run('git status', 'src')).toMatchObject({ kind: 'allow' });
  expect(await run('git status', '/work/src')).toMatchObject({ kind: 'allow' });
  expect(await run('rm x', '/tmp')).toMatchObject({ kind: 'deny' });
  for (const cwd of ['/tmp/evil', '..', '/workx', 'src/../..']) {
    expect(await run('git status', cwd)).toMatchObject({
      kind: 'ask',
      reason: expect.stringContaining('another folder') as string,
    });
  }
});

test('rules for commands do not follow links out of the folder', async () => {
  const outside = temporaryFolder({ 'sub/x': '' });
  const cwd = temporaryFolder({
    'src/x': '',
    out: link(outside),
    deep: link(path.join(outside, 'sub')),
    in: link('src'),
    nowhere: link(path.join(outside, 'none')),
  });
  const policy = policyOf({ defaultPolicy: 'ask', whitelist: { patterns: ['git *'] } }, { cwd });
  const run = (folder: string) =>
    policy.decide({ ...shellCall('git status'), args: { command: 'git status', cwd: folder } });
  for (const folder of ['.', 'src', 'in', 'src/new', cwd, path.join(cwd, 'in')])
    expect([folder, await run(folder)]).toMatchObject([folder, { kind: 'allow' }]);
  for (const folder of ['out', 'out/sub', 'out/..', 'deep/../sub', 'nowhere', 'nowhere/x', 'a\0b', outside])
    expect([folder, await run(folder)]).toMatchObject([folder, { kind: 'ask', method: 'default' }]);
  // A project that is itself reached by a link is still one folder.
  const linked = policyOf(
    { defaultPolicy: 'ask', whitelist: { patterns: ['git *'] } },
    { cwd: path.join(temporaryFolder({ project: link(cwd) }), 'project') },
  );
  const there = (folder: string) =>
    linked.decide({ ...shellCall('git status'), args: { command: 'git status', cwd: folder } });
  expect(await there('src')).toMatchObject({ kind: 'allow' });
  expect(await there('out')).toMatchObject({ kind: 'ask' });
});

test('says why nothing covers a command', async () => {
  const policy = policyOf({ defaultPolicy: 'ask', whitelist: { patterns: ['git *'] } });
  const reason = async (command: string) => (await policy.decide(shellCall(command))).reason;
  expect(await reason('git status; rm  x')).toBe('No rule covers `rm x`, so the default holds.');
  expect(await reason('A=b git log')).toBe('No rule can allow it, since it sets a variable (A=b).');
  expect(await reason('git log > x')).toBe('No rule can allow it, since it has a redirection (>).');
  expect(await reason('$x y')).toBe('No rule can allow it, since it has an expansion ($).');
  expect(await reason('cd x; git log')).toBe(
    'No rule can allow it, since it has a command of the shell itself (cd).',
  );
});

test('never throws', () => {
  const hostile = Object.defineProperty({ ...call('x') }, 'hints', {
    get(): never {
      throw new Error('no');
    },
  });
  const verdict = policyOf({ defaultPolicy: 'allow' }).decide(hostile);
  expect(verdict).toMatchObject({ kind: 'deny', method: 'broken', reason: 'It could not be decided: no' });
});
