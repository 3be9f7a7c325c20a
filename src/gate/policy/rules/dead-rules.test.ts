import { expect, test } from 'vitest';
import { policyOf, shellCall } from '../../../../test/support/gate/policy.ts';
import { deadRules } from './rule-list.ts';

test('rules that can allow nothing are named, with the reason', () => {
  const found = deadRules({
    allow: [
      'git *',
      '> build/*',
      { rule: 'export NODE_ENV=*', network: true },
      'web_search',
      '@read-only',
      { rule: 'read(a=1)' },
    ],
    whitelist: { patterns: ['FOO=* npm test', 'npm run test:*', 'read_file(path=src/*)', 'cd * && make'] },
    classes: { readOnly: { patterns: ['ls ~', 'cat * | head *', 'git log *'] } },
  });
  expect(found).toEqual([
    { rule: '> build/*', reason: 'has a redirection (>)' },
    { rule: 'export NODE_ENV=*', reason: 'has a command of the shell itself (export)' },
    { rule: '{ "rule": "read(a=1)" }', reason: 'has a parenthesis (()' },
    { rule: 'FOO=* npm test', reason: 'sets a variable (FOO=x)' },
    { rule: 'cd * && make', reason: 'has a command of the shell itself (cd)' },
    { rule: 'ls ~', reason: 'has a home folder (~)' },
    { rule: 'cat * | head *', reason: 'names several commands, and each needs a rule' },
  ]);
});

test.for<[rule: string, line: string]>([
  ['> build/*', 'git log > build/x'],
  ['FOO=* npm test', 'FOO=1 npm test'],
  ['export NODE_ENV=*', 'export NODE_ENV=test'],
  ['cat * | head *', 'cat a | head'],
])('%s allows %s no more', async ([rule, line]) => {
  expect(deadRules({ allow: [rule] })).toHaveLength(1);
  const policy = policyOf({ defaultPolicy: 'ask', allow: ['git *', rule] });
  expect(await policy.decide(shellCall(line))).toMatchObject({ kind: 'ask' });
});
