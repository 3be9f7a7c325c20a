import { expect, test } from 'vitest';
import { createSecrets } from '../secrets/secrets.ts';
import { ask, deny, fakePolicy, gateWorld, model, user } from '../../test/support/gate/gate.ts';
import type { AuditEvent } from './audit/audit.ts';
import type { ObservedCall } from './observer.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const child = '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01';

test('an observer hears of a call from the question to its end', async () => {
  const { gate } = gateWorld();
  const heard: unknown[] = [];
  const end = gate.observe({
    asked(call) {
      heard.push(call);
      return {
        begun: (plugin, tool) => void heard.push([plugin, tool]),
        ended: ({ ok }) => void heard.push(ok),
      };
    },
  });
  const call = gate.call('echo', {}, { caller: model, trace: { traceparent } });
  await call;
  const asked: ObservedCall = {
    id: call.id,
    kind: 'tool',
    name: 'echo',
    caller: model,
    trace: { traceparent },
  };
  expect(heard).toEqual([asked, ['plugin', 'echo'], true]);
  end();
  await gate.call('echo', {}, { caller: model });
  expect(heard).toHaveLength(3);
});

test('a call that is not allowed has an end and no beginning', async () => {
  for (const verdict of [deny, ask]) {
    const { gate } = gateWorld({ policy: fakePolicy(verdict) });
    const heard: unknown[] = [];
    gate.observe({
      asked: () => ({
        begun: () => void heard.push('begun'),
        ended: (outcome) => void heard.push(outcome.ok ? 'ok' : outcome.error.code),
      }),
    });
    await gate.call('echo', {}, { caller: model });
    expect(heard).toEqual(['PERMISSION_DENIED']);
  }
});

test('the trace goes on to the plugin and into the audit: that which came, or that of the observer', async () => {
  const { gate, source, audit } = gateWorld();
  await gate.call('echo', {}, { caller: user, trace: { traceparent } });
  gate.observe({ asked: () => ({ trace: { traceparent: child, tracestate: 'a=1' }, ended: () => {} }) });
  await gate.call('echo', {}, { caller: user, trace: { traceparent } });
  expect(source.made.map(({ options }) => options?.trace)).toEqual([
    { traceparent },
    { traceparent: child, tracestate: 'a=1' },
  ]);
  const traces = audit.events.flatMap((event) => (event.kind === 'decided' ? [event.trace] : []));
  expect(traces).toEqual(Array(2).fill('4bf92f3577b34da6a3ce929d0e0e4736'));
});

test('an observer that throws harms nobody', async () => {
  const { gate } = gateWorld();
  const broken = () => {
    throw new Error('broken');
  };
  gate.observe({ asked: broken, audited: broken });
  gate.observe({ asked: () => ({ begun: broken, ended: broken }) });
  expect(await gate.call('echo', {}, { caller: user })).toMatchObject({ ok: true });
});

test('what is written to the audit is told without its secrets', async () => {
  const { gate } = gateWorld({ secrets: createSecrets(['hunter22']) });
  const events: AuditEvent[] = [];
  gate.observe({ audited: (event) => void events.push(event) });
  await gate.call('echo', { text: 'hunter22 it is', password: 'sesame-open' }, { caller: user });
  expect(events.map(({ kind }) => kind)).toEqual(['decided', 'ended']);
  expect(JSON.stringify(events)).not.toMatch(/hunter22|sesame-open/);
});
