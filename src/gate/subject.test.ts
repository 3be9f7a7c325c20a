import { expect, test } from 'vitest';
import { policyOf, shellCall } from '../../test/support/gate/policy.ts';
import type { ResolvedTool } from '../fleet/registry/contract.ts';
import { decide, howToAllow, subjectOf } from './subject.ts';

test('what a plugin says of a tool that destroys reaches the rules: it is asked about where everything is allowed', () => {
  const target: ResolvedTool = {
    kind: 'tool',
    name: 'disks__wipe',
    clientName: 'disks__wipe',
    isUnique: true,
    plugin: 'disks',
    origin: 'process',
    isForClients: true,
    tool: { name: 'wipe', description: 'Wipes', hints: { destructive: true } },
    isAutoApproved: true,
    call: () => {
      throw new Error('nobody calls it');
    },
  };
  const subject = subjectOf(target, {}, { kind: 'model' });
  expect(decide(policyOf({ defaultPolicy: 'allow' }), subject)).toMatchObject({
    kind: 'ask',
    method: 'class',
  });
});

test('how to allow a command line is a rule for command lines alone, and nothing is said where no rule would do', async () => {
  const policy = policyOf({ defaultPolicy: 'deny', allow: ['git log'] });
  const hint = async (command: string, cwd?: string) => {
    const subject = { ...shellCall(command), args: { command, ...(cwd !== undefined && { cwd }) } };
    return howToAllow(subject, await decide(policy, subject), policy);
  };
  expect(await hint('e__py')).toBe(`To allow it: pluglot allow '{ "rule": "e__py" }'`);
  expect(await hint('git status', 'src')).toBe(`To allow it: pluglot allow 'git status'`);
  expect(await hint('"@read-only"')).toBeUndefined();
  for (const cwd of ['..', '/', 'src/../..']) {
    expect(await hint('git log', cwd)).toBeUndefined();
    expect(await hint('git status', cwd)).toBeUndefined();
  }
});
