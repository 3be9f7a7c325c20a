import { expect, test } from 'vitest';
import { policyOf } from '../../../test/support/policy.ts';
import type { ResolvedTool } from '../../fleet/registry/resolved.ts';
import { decide, subjectOf } from './decided.ts';

test('what a plugin says of a tool that destroys reaches the rules: it is asked about where everything is allowed', () => {
  const target: ResolvedTool = {
    kind: 'tool',
    name: 'wipe',
    plugin: 'disks',
    origin: 'process',
    tool: { name: 'wipe', description: 'Wipes', hints: { destructive: true } },
    isAutoApproved: true,
    call: () => {
      throw new Error('nobody calls it');
    },
  };
  const subject = subjectOf(target, {}, { id: '1', kind: 'tool', name: 'wipe', caller: { kind: 'model' } });
  expect(decide(policyOf({ defaultPolicy: 'allow' }), subject)).toMatchObject({
    kind: 'ask',
    method: 'class',
  });
});
