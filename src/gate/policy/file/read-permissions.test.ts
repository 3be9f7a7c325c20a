import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, shellCall } from '../../../../test/support/gate/policy.ts';
import {
  type Content,
  namedPipe,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/temporary-folder.ts';
import { trustPath, userTrustStore } from '../../../fleet/discovery/discover.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import { createPolicy } from '../create-policy.ts';
import { ruleFor } from '../rules/call-rule.ts';
import { parsePermissions } from './parse-permissions.ts';
import { checkedRule } from './write-rule.ts';
import { readPermissions, type ReadPermissionsOptions } from './read-permissions.ts';

const loose = {
  defaultPolicy: 'allow',
  whitelist: { tools: ['*'], patterns: ['*'] },
  blacklist: { tools: ['never'] },
  classes: { readOnly: { tools: ['*'] } },
  shellTools: { run: { command: 'command' } },
  channel: { type: 'webhook', endpoint: 'http://evil' },
};

function world(files: Parameters<typeof temporaryFolder>[0], more: Partial<ReadPermissionsOptions> = {}) {
  const folder = temporaryFolder({ 'project/.keep': '', 'home/.keep': '', ...files });
  const home = path.join(folder, 'home');
  const project = path.join(folder, 'project');
  const options = { cwd: project, env: {}, home, ...more };
  const policy = async () => {
    const permissions = await readPermissions(options);
    return { permissions, policy: createPolicy({ permissions, cwd: options.cwd, home }) };
  };
  return { folder, home, project, options, policy };
}

const userFile = 'home/.config/pluglot/permissions.json';

test('rules of before that allow nothing any more are told, and the file counts', async () => {
  const content = { defaultPolicy: 'ask', whitelist: { patterns: ['> build/*', 'git *'] } };
  const { policy, home } = world({ [userFile]: content });
  const { permissions } = await policy();
  expect(permissions.problems).toEqual([
    {
      file: path.join(home, '.config/pluglot/permissions.json'),
      severity: 'warning',
      reason:
        'the rule "> build/*" allows nothing: it has a redirection (>), and rules allow plain words alone',
      wayOut: 'Remove it; such lines are asked about (docs/permissions.md).',
    },
  ]);
  expect(permissions.sources).toMatchObject([{ trusted: true, content }]);
});

test.for([
  ["the user's own file", userFile, {}],
  ['the folder of it', path.dirname(userFile), {}],
  ['a file that the user has named', 'project/named.json', { file: 'named.json' }],
] as const)('what everyone may write only tightens: %s', async ([, open, more]) => {
  const { policy, folder } = world({ [userFile]: loose, 'project/named.json': loose }, more);
  const before = await policy();
  expect(before.permissions.sources.map(({ trusted }) => trusted)).not.toContain(false);
  fs.chmodSync(path.join(folder, open), 0o777);
  const { permissions } = await policy();
  const file = path.join(folder, open.endsWith('.json') ? open : userFile);
  expect(permissions.sources.find((source) => source.file === file)).toMatchObject({ trusted: false });
  expect(permissions.problems.map((problem) => problem.file)).toEqual([file]);
  expect(permissions.problems[0]?.reason).toContain(`since ${folder}/${open} can be changed by other users`);
});

describe('a rule that is meant as a call and cannot be read', () => {
  const rules = ['raw__w(a=1', 'raw__w(a:1)', 'raw__w (a=1)', 'raw__w(a=1, )', 'raw__w(a=1))', 'raw__"w'];
  const written = (content: object) => JSON.stringify({ version: '1.0', defaultPolicy: 'allow', ...content });

  test.for(rules)('%s in a list that forbids breaks the file', async (rule) => {
    for (const content of [
      { deny: ['fine', rule] },
      { blacklist: { tools: [rule] } },
      { blacklist: { patterns: [rule] } },
      { classes: { destructive: { patterns: [rule] } } },
      { blacklist: { arguments: { [rule]: { a: ['1'] } } } },
    ]) {
      const { problems } = await parsePermissions('p.json', `\n${written(content)}`);
      expect([content, problems]).toMatchObject([content, [{ line: 2, severity: 'error' }]]);
    }
    const { policy } = world({ [userFile]: written({ deny: [rule] }) });
    const { policy: made } = await policy();
    expect(await made.decide(call('raw__w', { a: 1 }))).toMatchObject({ kind: 'deny', method: 'broken' });
  });

  test.for([
    'raw__w(path==.git/*)',
    "raw__w(path=='.git/x')",
    "raw__w(path='.git/x')",
    'raw__w(path=`.git/x`)',
    'raw__w(n==01)',
    'raw__w(b==True)',
    'raw__w(o=={a:1})',
    'raw__w(path===".git/x")',
    'raw__w(path=".git/x)',
    'raw__w(path==".git/x)',
    'raw__w(path=".git/x",x=1)',
    'raw__w(path=".git/x"*)',
    'raw__w(path!=x)',
    "raw__w('path'=x)",
  ])('%s would forbid nothing, and breaks the file', async (rule) => {
    const { problems } = await parsePermissions('p.json', `\n${written({ deny: [rule] })}`);
    expect(problems).toMatchObject([{ line: 2, severity: 'error' }]);
    expect(() => checkedRule(rule, 'deny')).toThrow('is not a rule');
    const { problems: allowing } = await parsePermissions('p.json', written({ allow: [rule] }));
    expect(allowing).toEqual([]);
  });

  test('what is written for a call that is never allowed can be read again', () => {
    for (const key of ["'path'", 'path!', 'a:', 'a$', '"', 'a"', '`', 'path', '!'])
      expect(checkedRule(ruleFor(call('w', { [key]: '=x"' }), 'call') ?? '', 'deny')).toContain('==');
  });

  test.for(rules)('%s in a list that allows is reported, and allows nothing', async (rule) => {
    for (const content of [{ allow: [rule] }, { whitelist: { tools: [rule] } }]) {
      const { policy } = world({ [userFile]: `\n${written({ ...content, defaultPolicy: 'ask' })}` });
      const { permissions, policy: made } = await policy();
      expect(permissions.problems).toMatchObject([{ line: 2, severity: 'warning' }]);
      expect(await made.decide(call('w', { a: 1 }, { plugin: 'raw' }))).toMatchObject({ kind: 'ask' });
    }
  });

  test('a tool of path_scope that is not a name breaks the file', async () => {
    const content = { sanitization: { path_scope: { arguments: { 'my tool': ['path'] } } } };
    const { problems } = await parsePermissions('p.json', written(content));
    expect(problems).toMatchObject([{ line: 1, severity: 'error' }]);
  });
});

describe('where it is', () => {
  test('nowhere', async () => {
    const { policy } = world({});
    const { permissions, policy: made } = await policy();
    expect(permissions).toEqual({ sources: [], problems: [] });
    expect(made.view()).toMatchObject({ defaultPolicy: 'ask', sources: [] });
  });

  test('in the folder of the user, which is trusted', async () => {
    const { policy, folder } = world({ [userFile]: { defaultPolicy: 'allow' } });
    const { policy: made } = await policy();
    expect(made.view()).toMatchObject({
      defaultPolicy: 'allow',
      sources: [{ file: path.join(folder, userFile), trusted: true }],
    });
  });

  test.for(['permissions.json', '.permissions.json'])('in the project: %s', async (name) => {
    const { policy, project } = world({ [`project/${name}`]: { defaultPolicy: 'deny' } });
    expect((await policy()).policy.view().sources).toEqual([
      { file: path.join(project, name), trusted: false },
    ]);
  });

  test('above the current folder, up to the root of the repository', async () => {
    const { options, project } = world({
      'project/.git/HEAD': '',
      'project/permissions.json': { blacklist: { tools: ['x'] } },
      'project/a/b/.keep': '',
    });
    const { sources } = await readPermissions({ ...options, cwd: path.join(project, 'a/b') });
    expect(sources).toMatchObject([{ file: path.join(project, 'permissions.json'), folder: project }]);
  });

  test('both of the project: one is used, and that is told', async () => {
    const { policy, project } = world({ 'project/permissions.json': {}, 'project/.permissions.json': {} });
    const { permissions } = await policy();
    expect(permissions.sources).toHaveLength(1);
    expect(permissions.problems.map(describeProblem)).toContain(
      `${project}/.permissions.json: not used, since there is "${project}/permissions.json" too. Keep one of them.`,
    );
  });

  test('where the user says, which is trusted, instead of the project; the user’s own counts too', async () => {
    const files = {
      'project/permissions.json': loose,
      'project/mine.json': { whitelist: { tools: ['mine'] } },
      [userFile]: { blacklist: { tools: ['never'] } },
    };
    for (const more of [{ file: 'mine.json' }, { env: { PERMISSION_CONFIG_PATH: 'mine.json' } }]) {
      const { policy, project, folder } = world(files, more);
      const view = (await policy()).policy.view();
      expect(view.sources).toEqual([
        { file: path.join(project, 'mine.json'), trusted: true },
        { file: path.join(folder, userFile), trusted: true },
      ]);
      expect(view).toMatchObject({ allow: ['mine'], deny: ['never'], defaultPolicy: 'deny' });
    }
  });

  test('not where the user says: then everything is denied', async () => {
    const { policy } = world({ [userFile]: loose }, { file: 'gone.json' });
    const { policy: made, permissions } = await policy();
    expect(made.decide(call('x'))).toMatchObject({ kind: 'deny', method: 'broken' });
    expect(permissions.problems).toMatchObject([{ severity: 'error', reason: 'the file is not there' }]);
  });
});

describe('a project that is not trusted', () => {
  test('tightens and loosens nothing', async () => {
    const { policy, project } = world({
      'project/permissions.json': loose,
      [userFile]: { defaultPolicy: 'ask', whitelist: { patterns: ['git *'] } },
    });
    const { policy: made, permissions } = await policy();
    expect(made.view()).toMatchObject({ defaultPolicy: 'ask', allow: ['git *'], deny: ['never'] });
    expect(made.decide(call('x'))).toMatchObject({ kind: 'ask' });
    expect(made.decide(call('never'))).toMatchObject({ kind: 'deny' });
    expect(made.decide(shellCall('ls'))).toMatchObject({ kind: 'ask' });
    expect(made.decide(call('run', { command: 'git status' }))).toMatchObject({ kind: 'ask' });
    expect(permissions.problems).toMatchObject([
      { severity: 'warning', wayOut: `Read it, then: pluglot trust add ${project}` },
    ]);
    expect(permissions.problems[0]?.reason).toMatch(/only what tightens counts of it/);
  });

  test('makes a default stricter', async () => {
    const files = {
      'project/permissions.json': { defaultPolicy: 'deny' },
      [userFile]: { defaultPolicy: 'allow' },
    };
    expect((await world(files).policy()).policy.view().defaultPolicy).toBe('deny');
  });

  test('alone is asked about at best', async () => {
    expect((await world({ 'project/permissions.json': loose }).policy()).policy.view().defaultPolicy).toBe(
      'ask',
    );
    expect((await world({ 'project/permissions.json': {} }).policy()).policy.view().defaultPolicy).toBe(
      'deny',
    );
  });

  test('counts whole once it is trusted, until it changes', async () => {
    const { policy, options, project, folder } = world({ 'project/.permissions.json': loose });
    await trustPath(userTrustStore(options), project, options);
    const { policy: made, permissions } = await policy();
    expect(permissions.problems).toEqual([]);
    expect(made.decide(call('x'))).toMatchObject({ kind: 'allow' });
    expect(made.decide(call('never'))).toMatchObject({ kind: 'deny' });

    writeFiles(folder, { 'project/.permissions.json': { ...loose, blacklist: {} } });
    const changed = await policy();
    expect(changed.policy.decide(call('x'))).toMatchObject({ kind: 'ask' });
    expect(changed.permissions.problems[0]?.reason).toMatch(/has changed since/);
  });
});

describe('a broken file', () => {
  test.for<[where: string, content: Content]>([
    [userFile, '{ "defaultPolicy": "allow", '],
    [userFile, { defaultPolicy: 'alow' }],
    [userFile, { blacklst: {} }],
    [userFile, { sanitization: { blockDangerous: true } }],
    [userFile, '{ "blacklist": { "tools": ["a"] }, "blacklist": {} }'],
    [userFile, '[]'],
    [userFile, ''],
    [userFile, Buffer.from([0xff, 0xfe])],
    [userFile, namedPipe()],
    [userFile, { whitelist: { patterns: ['x'.repeat(2000)] } }],
    ['project/permissions.json', 'no'],
    ['project/permissions.json', '"x"'.repeat(700_000)],
  ])('%s denies until it is mended (%#)', async ([where, content]) => {
    const { policy, folder } = world({ [where]: content });
    const { policy: made, permissions } = await policy();
    expect(made.decide(call('x', {}, { isAutoApproved: true }))).toMatchObject({
      kind: 'deny',
      method: 'broken',
    });
    expect(made.decide(call('x', {}, { caller: { kind: 'user' } }))).toMatchObject({ kind: 'allow' });
    expect(permissions.problems[0]).toMatchObject({ file: path.join(folder, where), severity: 'error' });
  });
});

describe('what is wrong is told with its line and a way out', () => {
  test.for<[text: string, told: string]>([
    ['{\n  "defaultPolcy": "ask"\n}', 'p.json:2: defaultPolcy: unknown key. Did you mean "defaultPolicy"?'],
    [
      '{\n  "sanitization": {\n    "block_dangerous": true\n  }\n}',
      'p.json:3: sanitization.block_dangerous: unknown key.',
    ],
    [
      '{\n  "whitelist": {\n    "tools": "x"\n  }\n}',
      'p.json:3: whitelist.tools: expected a list, found text. Write it like ["one", "two"].',
    ],
    ['{ "version": "2.0" }', 'p.json:1: version: expected one of 1.0, 1, 1, found text "2.0".'],
    [
      '{\n"blacklist": {},\n"blacklist": {} }',
      'p.json:3: "blacklist" stands there twice, and only one of them would count. Join them.',
    ],
    [
      '{ "whitelist": { "tools": [""] } }',
      'p.json:1: whitelist.tools.0: expected some text, found an empty one.',
    ],
    ['{', 'p.json:1:2: invalid JSON: expected a key in quotes or "}", found the end of the file.'],
  ])('%s', async ([text, told]) => {
    const { content, problems } = await parsePermissions('p.json', text);
    expect(content).toBeUndefined();
    expect(problems.map(describeProblem).join('\n')).toContain(told);
  });

  test('comments are taken', async () => {
    const { content } = await parsePermissions(
      'p.json',
      '// mine\n{ "version": "1.0", "defaultPolicy": "ask", }',
    );
    expect(content).toEqual({ version: '1.0', defaultPolicy: 'ask' });
  });
});
