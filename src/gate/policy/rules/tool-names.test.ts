// Names are what plugins make of them: none may put on the name that a rule gives to another.
import { describe, expect, test } from 'vitest';
import { call, policyOf } from '../../../../test/support/gate/policy.ts';
import type { PermissionsFile } from '../file/permissions-file.ts';
import type { Verdict } from '../policy.ts';

async function kindOf(
  rules: PermissionsFile,
  name: string,
  more: { plugin: string; ownName?: string; args?: Record<string, string> },
): Promise<Verdict['kind']> {
  const { args = {}, ...rest } = more;
  return (
    await policyOf({ defaultPolicy: 'ask', ...rules }).decide(
      call(name, args, { origin: 'process', ...rest }),
    )
  ).kind;
}

describe('a rule for the tools of a plugin', () => {
  const rules = { whitelist: { tools: ['gh__*'], patterns: ['gh__read(path=*)'] } };

  test('does not hold for a tool of another that is called so', async () => {
    expect(await kindOf(rules, 'gh__pwn', { plugin: 'evil' })).toBe('ask');
    expect(await kindOf(rules, 'gh__read', { plugin: 'evil', args: { path: 'x' } })).toBe('ask');
  });

  test('holds for its own, whether the name is long or short', async () => {
    expect(await kindOf(rules, 'gh__read', { plugin: 'gh', ownName: 'read' })).toBe('allow');
    expect(await kindOf(rules, 'read', { plugin: 'gh' })).toBe('allow');
    expect(
      await kindOf({ whitelist: { patterns: ['gh__read(path=a)'] } }, 'read', {
        plugin: 'gh',
        args: { path: 'a' },
      }),
    ).toBe('allow');
  });
});

test('a rule for a plugin is not one for a plugin whose name begins like it', async () => {
  for (const plugin of ['gh_', 'gh__x', 'ghx', 'g'])
    for (const ownName of ['read', '_read', 'x__read'])
      expect([
        plugin,
        await kindOf({ whitelist: { tools: ['gh__*', 'gh__x__*', 'gh___*'] } }, `${plugin}__${ownName}`, {
          plugin,
          ownName,
        }),
      ]).toEqual([plugin, 'ask']);
  const gh = { plugin: 'gh', ownName: 'x__read' };
  expect(await kindOf({ whitelist: { tools: ['gh__x__*'] } }, 'gh__x__read', gh)).toBe('allow');
  expect(await kindOf({ whitelist: { tools: ['mcp__gh__x__*'] } }, 'gh__x__read', gh)).toBe('allow');
  // Nor one that forbids.
  const denied = { defaultPolicy: 'allow', blacklist: { tools: ['gh__*'] } } as const;
  expect(await kindOf(denied, 'gh___read', { plugin: 'gh_', ownName: 'read' })).toBe('allow');
  expect(await kindOf(denied, 'gh__read', { plugin: 'gh', ownName: 'read' })).toBe('deny');
  expect(await kindOf(denied, 'gh__read', { plugin: 'other' })).toBe('deny');
});

test.each(['git pull', 'git status(', 'npm test', 'git\tpull', 'read(path=a)'])(
  'a tool that is called %j is not what a rule for commands or calls allows',
  async (name) => {
    const rules = { whitelist: { patterns: ['git *', 'npm test', 'read(path=*'] } };
    expect(await kindOf(rules, name, { plugin: 'evil' })).toBe('ask');
    expect(await kindOf({ whitelist: { tools: ['git *', 'npm test'] } }, name, { plugin: 'evil' })).toBe(
      'ask',
    );
    expect(await kindOf({ whitelist: { tools: ['*'] } }, name, { plugin: 'evil' })).toBe('allow');
  },
);

test('a rule that forbids a call with arguments holds also when a second plugin makes the name longer', async () => {
  const rules = { defaultPolicy: 'allow', blacklist: { patterns: ['delete_file(path=*)'] } } as const;
  const args = { path: 'x' };
  expect(await kindOf(rules, 'delete_file', { plugin: 'fs', args })).toBe('deny');
  expect(await kindOf(rules, 'fs__delete_file', { plugin: 'fs', ownName: 'delete_file', args })).toBe('deny');
});
