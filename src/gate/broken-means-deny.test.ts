// Whatever decides and does not work denies: nothing is called, and the caller is told.
import { expect, test } from 'vitest';
import type { Approver } from './approval/approver.ts';
import type { GateParts } from './gate.ts';
import type { PinKeeper } from './pins/pin-file.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import { ask, fakePolicy, gateWorld, model, rounds, type FakePolicy } from '../../test/support/gate/gate.ts';

interface Case {
  readonly policy?: FakePolicy;
  readonly parts?: Partial<Omit<GateParts, 'policy'>>;
  /** How far the clock has to go. */
  readonly afterMs?: number;
  readonly code?: string;
  readonly says: string | RegExp;
  readonly origin?: 'process';
  readonly schema?: object;
  readonly audit?: () => Promise<void>;
}

const never = new Promise<never>(() => {});
const thrown = () => {
  throw new Error('kaputt');
};

const cases: Readonly<Record<string, Case>> = {
  'the policy throws': { policy: fakePolicy(thrown), says: 'the policy does not work (kaputt)' },
  'the policy rejects': {
    policy: fakePolicy(() => Promise.reject(new Error('kaputt'))),
    says: 'the policy does not work (kaputt)',
  },
  'the policy hangs': { policy: fakePolicy(() => never), afterMs: 10_000, says: 'no answer came within 10s' },
  'the policy says nothing': {
    policy: fakePolicy(() => undefined as never),
    says: 'the policy does not work',
  },
  'the policy says something else': {
    policy: fakePolicy({ kind: 'maybe' } as never),
    says: 'its answer is not a verdict',
  },
  'the approver throws': {
    policy: fakePolicy(ask),
    parts: asked(thrown),
    says: 'asking for it failed: kaputt',
  },
  'the approver rejects': {
    policy: fakePolicy(ask),
    parts: asked(() => Promise.reject(new Error('kaputt'))),
    says: 'asking for it failed: kaputt',
  },
  'the approver hangs': {
    policy: fakePolicy(ask),
    parts: asked(() => never),
    afterMs: 30_000,
    says: 'no answer came within 30s',
  },
  'the approver answers nothing': {
    policy: fakePolicy(ask),
    parts: asked(undefined),
    says: 'the answer is not an object',
  },
  'the approver answers true': {
    policy: fakePolicy(ask),
    parts: asked(true),
    says: 'the answer is not an object',
  },
  'the approver answers without a scope': {
    policy: fakePolicy(ask),
    parts: asked({ kind: 'allow', by: 'x' }),
    says: 'does not say for how long',
  },
  'the approver answers with another kind': {
    policy: fakePolicy(ask),
    parts: asked({ kind: 'ok', scope: 'once' }),
    says: 'neither allow nor deny',
  },
  'the approver gives arguments that are none': {
    policy: fakePolicy(ask),
    parts: asked({ kind: 'allow', scope: 'once', args: [] }),
    says: 'not an object',
  },
  'nobody can be asked': { policy: fakePolicy(ask), says: 'no one can be asked here' },
  'the audit rejects': {
    audit: () => Promise.reject(new Error('disk full')),
    code: 'AUDIT_FAILED',
    says: 'could not be written to the audit log: disk full',
  },
  'the audit throws': { audit: thrown, code: 'AUDIT_FAILED', says: 'kaputt' },
  'the audit hangs': {
    audit: () => never,
    afterMs: 10_000,
    code: 'AUDIT_FAILED',
    says: 'took longer than 10 s',
  },
  'the list of tools throws': {
    parts: { source: { resolveTool: thrown, resolveCommand: thrown, whyNot: thrown } },
    says: 'the registry does not work (kaputt)',
  },
  'the schema cannot be compiled': {
    schema: { type: 17 },
    code: 'PROTOCOL_VIOLATION',
    says: 'cannot be used',
  },
  'the schema refers to nowhere': {
    schema: { $ref: 'https://example.org/x' },
    code: 'PROTOCOL_VIOLATION',
    says: 'cannot be used',
  },
  'the validator cannot be loaded': {
    schema: { required: ['a'] },
    parts: { checks: unloadable('rejects') },
    says: 'no ajv',
  },
  'the validator is never there': {
    schema: { required: ['a'] },
    parts: { checks: unloadable('lies') },
    says: 'could not be loaded',
  },
  'the pins cannot be read': { origin: 'process', parts: pinned(thrown), says: 'kaputt' },
  'reading the pins hangs': {
    origin: 'process',
    parts: pinned(() => never),
    afterMs: 10_000,
    says: 'the list of pinned definitions does not work',
  },
  'the pins cannot be written': {
    origin: 'process',
    parts: {
      pins: {
        keeper: { read: () => Promise.resolve([]), change: () => Promise.reject(new Error('read-only')) },
      },
    },
    says: 'cannot be pinned (read-only), and no one can be asked here',
  },
};

test.each(Object.entries(cases))('%s', async (_, one) => {
  const { gate, clock, source, audit } = gateWorld({
    ...one.parts,
    ...(one.policy && { policy: one.policy }),
  });
  source.add(
    { name: 'echo', ...(one.schema && { inputSchema: one.schema as never }) },
    { origin: one.origin ?? 'built-in' },
  );
  if (one.audit) audit.outcome = one.audit;
  const call = gate.call('echo', {}, { caller: model });
  if (one.afterMs !== undefined) {
    await rounds();
    clock.advance(one.afterMs);
  }
  const outcome = await call;
  expect(outcome).toMatchObject({ ok: false, error: { code: one.code ?? 'PERMISSION_DENIED' } });
  expect(outcome.ok ? '' : outcome.error.message).toMatch(one.says);
  expect(source.made).toEqual([]);
});

test.each([
  undefined,
  {},
  { caller: undefined },
  { caller: {} },
  { caller: { kind: 'root' } },
  { caller: 'user' },
])('a call of nobody: %j', async (options) => {
  const { gate, source } = gateWorld();
  const outcome = await gate.call('echo', {}, options as never);
  expect(outcome).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
  expect(source.made).toEqual([]);
});

test('a gate that is closed', async () => {
  const { gate, source } = gateWorld();
  await gate.close();
  expect(await gate.call('echo', {}, { caller: { kind: 'user' } })).toMatchObject({
    error: { code: 'PERMISSION_DENIED', message: 'Permission denied: the gate is closed.' },
  });
  expect(await gate.check('echo', {}, model)).toMatchObject({ kind: 'deny', reason: 'the gate is closed' });
  expect(await gate.askPermission('echo', {}, model, '')).toMatchObject({ allowed: false });
  expect(source.made).toEqual([]);
});

test('a plugin that throws, rejects or breaks off is an outcome', async () => {
  const { gate, source } = gateWorld();
  source.add({ name: 'a' });
  const tool = source.tools.get('a');
  if (tool === undefined) throw new Error('it is there');
  source.tools.set('a', { ...tool, call: thrown });
  expect(await gate.call('a', {}, { caller: model })).toMatchObject({
    error: { code: 'INTERNAL', message: 'Calling "a" failed: kaputt' },
  });
});

function asked(answer: unknown): { approver: Approver } {
  return {
    approver: {
      ask: (typeof answer === 'function' ? answer : () => Promise.resolve(answer)) as Approver['ask'],
    },
  };
}

function pinned(read: () => Promise<never>): Partial<GateParts> {
  const keeper: PinKeeper = { read, change: () => Promise.resolve() };
  return { pins: { keeper } };
}

function unloadable(how: 'rejects' | 'lies'): SchemaChecks {
  const checks = new SchemaChecks();
  checks.load = () => (how === 'rejects' ? Promise.reject(new Error('no ajv')) : Promise.resolve());
  checks.checkOf = () => undefined;
  return checks;
}
