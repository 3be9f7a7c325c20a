import { expect, test } from 'vitest';
import type { Subject } from '../gate/policy/policy.ts';
import { livePolicy } from './live-policy.ts';

const subject = (plugin: string, tool: string): Subject => ({
  kind: 'tool',
  name: `${plugin}__${tool}`,
  ownName: tool,
  isUnique: true,
  plugin,
  origin: 'process',
  args: {},
  caller: { kind: 'client' },
  isAutoApproved: false,
});

const from = (content: object) => ({
  sources: [{ file: 'permissions.json', trusted: true, folder: '/', content }],
  problems: [],
});

test('tools of the host itself are allowed for as long as they are its own; all else is asked about', () => {
  let allowed: readonly string[] = ['dice__roll'];
  const policy = livePolicy({
    permissions: { sources: [], problems: [] },
    cwd: '/',
    home: '/',
    allowed: () => allowed,
  });
  expect(policy.decide(subject('dice', 'roll'))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(subject('other', 'roll'))).toMatchObject({ kind: 'ask' });
  allowed = [];
  expect(policy.decide(subject('dice', 'roll'))).toMatchObject({ kind: 'ask' });
});

test('a deny rule wins over what the host allows, and a file that says nothing still denies', () => {
  const parts = { cwd: '/', home: '/', allowed: () => ['dice__roll'] };
  const policy = livePolicy({ ...parts, permissions: from({ blacklist: { tools: ['dice__*'] } }) });
  expect(policy.decide(subject('dice', 'roll'))).toMatchObject({ kind: 'deny' });
  expect(policy.decide(subject('other', 'read'))).toMatchObject({ kind: 'deny' });
});

test('other rules hold at once, and what somebody answered stays', () => {
  const policy = livePolicy({ permissions: from({ defaultPolicy: 'ask' }), cwd: '/', home: '/' });
  policy.remember(subject('a', 'write'), 'allow', 'session');
  policy.use(from({ defaultPolicy: 'ask', whitelist: { tools: ['read'] } }));
  expect(policy.decide(subject('a', 'read'))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(subject('a', 'write'))).toMatchObject({ kind: 'allow' });
  policy.use(from({ defaultPolicy: 'deny' }));
  expect(policy.decide(subject('a', 'read'))).toMatchObject({ kind: 'deny' });
});
