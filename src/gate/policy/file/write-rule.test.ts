import fs from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { parsePermissions } from './parse-permissions.ts';
import { checkedRule, writeRule } from './write-rule.ts';

test('a rule goes behind the others, and every other character stays', async () => {
  const text = `{
  // What everybody needs
  "allow": [
    "web_search", // no key
    { "rule": "npm *", "network": true }, // last
  ],
  "blacklist": { "tools": ["x"] } /* kept */
}
`;
  const folder = temporaryFolder({ 'permissions.json': text });
  const file = `${folder}/permissions.json`;
  const { before, after } = await writeRule({ file, owner: 'user' }, { action: 'allow', rule: 'gh__*' });
  expect(before).not.toBe(after);
  const written = fs.readFileSync(file, 'utf8');
  expect(written).toBe(text.replace('}, // last\n', '}, // last\n    "gh__*",\n'));
  await writeRule({ file, owner: 'user' }, { action: 'deny', rule: 'rm *' });
  expect(fs.readFileSync(file, 'utf8')).toBe(
    written.replace('["x"] } /* kept */\n', '["x"] },\n  "deny": [\n    "rm *"\n  ] /* kept */\n'),
  );
  // One that is there is not written twice.
  expect(await writeRule({ file, owner: 'user' }, { action: 'deny', rule: 'rm *' })).toEqual({});
});

test.each([
  ['{"allow": ["a"]}', '{"allow": ["a", "new"]}'],
  ['{"allow": ["a",]}', '{"allow": ["a", "new",]}'],
  ['{"allow": ["a" /* , */]}', '{"allow": ["a", "new" /* , */]}'],
])('%s becomes %s', async (before, after) => {
  const file = `${temporaryFolder({ 'p.json': before })}/p.json`;
  await writeRule({ file, owner: 'user' }, { action: 'allow', rule: 'new' });
  expect(fs.readFileSync(file, 'utf8')).toBe(after);
});

test("a file that is made for it leaves the rest as it was without one, and is the user's alone", async () => {
  const file = `${temporaryFolder()}/config/permissions.json`;
  const written = await writeRule(
    { file, owner: 'user', defaultPolicy: 'ask' },
    { action: 'allow', rule: 'gh__*' },
  );
  expect(written.before).toBeUndefined();
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
    version: '1.0',
    defaultPolicy: 'ask',
    allow: ['gh__*'],
  });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test.each(['{', '{"alow": []}', '{"allow": "x"}'])('a broken file is left as it is: %s', async (text) => {
  const file = `${temporaryFolder({ 'p.json': text })}/p.json`;
  await expect(writeRule({ file, owner: 'user' }, { action: 'allow', rule: 'x' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  expect(fs.readFileSync(file, 'utf8')).toBe(text);
});

test('many at once are all written', async () => {
  const file = `${temporaryFolder()}/p.json`;
  const rules = Array.from({ length: 10 }, (_, index) => `p__t${index}`);
  await Promise.all(rules.map((rule) => writeRule({ file, owner: 'user' }, { action: 'allow', rule })));
  const { allow } = JSON.parse(fs.readFileSync(file, 'utf8')) as { allow: string[] };
  expect(allow.toSorted()).toEqual(rules);
});

test.each(['', '  ', 'x'.repeat(1001), 'read(path', 'read(path=a', 'read(path)', 'a\u202Eb', 'a\nb'])(
  '%j is not a rule',
  (rule) => {
    expect(() => checkedRule(rule, 'allow')).toThrow(/is not a rule: .*\. Rules are names/);
  },
);

test.for<[given: string, rule: string, item: unknown]>([
  ['{"rule":"make"}', '{ "rule": "make" }', { rule: 'make' }],
  [' { "rule": " e__py " } ', '{ "rule": "e__py" }', { rule: 'e__py' }],
  // It is for command lines anyway.
  ['{ "rule": "git log" }', 'git log', 'git log'],
])('%s is a rule for command lines, and is written as one', async ([given, rule, item]) => {
  expect(checkedRule(given, 'allow')).toBe(rule);
  const file = `${temporaryFolder({ 'p.json': '{"allow": ["make", "e__py"]}' })}/p.json`;
  for (const action of ['allow', 'deny'] as const) {
    expect((await writeRule({ file, owner: 'user' }, { action, rule })).after).toBeDefined();
    expect(await writeRule({ file, owner: 'user' }, { action, rule })).toEqual({});
  }
  const text = fs.readFileSync(file, 'utf8');
  expect(JSON.parse(text)).toEqual({ allow: ['make', 'e__py', item], deny: [item] });
  expect((await parsePermissions(file, text)).problems).toEqual([]);
});

test.each([
  '{',
  '{"rule": 1}',
  '{"rule": ""}',
  '{"rule": "a\\u202eb"}',
  '{"rule": "npm *", "network": true}',
])('%s is not a rule for command lines', (rule) => {
  expect(() => checkedRule(rule, 'allow')).toThrow(/is not a rule: /);
});

test.each([' gh__* ', 'read(path=src/*, !*)', 'git status', 'gh__"my tool"', '> build/*', '*'])(
  '%j is one',
  (rule) => {
    expect(checkedRule(rule, 'allow')).toBe(rule.trim());
  },
);
