// What the gate tells the policy, and what the policy tells whoever is asked.
import { expect, it } from 'vitest';
import { createPolicy } from './policy/create-policy.ts';
import { subjectOf } from './subject.ts';
import type { Target } from './target.ts';

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
  const caller = { kind: 'model' } as const;
  expect(subjectOf(target({ name: 'x', hints: { destructive: true } }), {}, caller).hints).toEqual({
    destructive: true,
  });
  expect(subjectOf(target({ name: 'x' }), {}, caller)).not.toHaveProperty('hints');
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
