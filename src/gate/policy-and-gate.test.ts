// What the gate tells the policy, and what the policy tells whoever is asked.
import { expect, it } from 'vitest';
import { createPolicy } from './policy/create-policy.ts';
import { subjectOf } from './stages/decided.ts';
import type { Target } from './stages/known.ts';

const target = (tool: object) =>
  ({
    kind: 'tool',
    name: 'x',
    plugin: 'p',
    origin: 'process',
    isAutoApproved: false,
    tool,
  }) as unknown as Target;

it('hands the hints of a tool on, so that a destructive one can be held tighter', () => {
  const asked = { caller: { kind: 'model' } } as Parameters<typeof subjectOf>[2];
  expect(subjectOf(target({ name: 'x', hints: { destructive: true } }), {}, asked).hints).toEqual({
    destructive: true,
  });
  expect(subjectOf(target({ name: 'x' }), {}, asked)).not.toHaveProperty('hints');
});

it('shows the command of a tool that is configured to take commands', () => {
  const content = { shellTools: { run: { command: 'line' } } };
  const policy = createPolicy({
    permissions: {
      sources: [{ file: 'permissions.json', trusted: true, folder: '.', content }],
      problems: [],
    },
    cwd: '/',
    home: '/',
  });
  const subject = {
    kind: 'tool',
    name: 'run',
    ownName: 'run',
    isUnique: true,
    plugin: 'p',
    origin: 'process',
    args: { line: 'git  status' },
    caller: { kind: 'model' },
    isAutoApproved: false,
  } as const;
  expect(policy.signatureOf?.(subject)).toBe('git  status');
});
