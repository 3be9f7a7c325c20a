// Arguments are validated by the gate, and by nothing behind it unless the schema is another one by then.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { settled } from '../../test/support/fleet/fake-world.ts';
import { testRegistry } from '../../test/support/fleet/registry.ts';
import { gateWorld, model, rounds } from '../../test/support/gate/gate.ts';
import { definePlugin } from '../definition/define-plugin.ts';
import type { Definition } from '../definition/definition.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';

const inputSchema = { type: 'object', properties: { n: { type: 'number', default: 7 } } };
let validations = 0;

beforeEach(() => {
  validations = 0;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the instance
  const original = SchemaChecks.prototype.checkOf;
  vi.spyOn(SchemaChecks.prototype, 'checkOf').mockImplementation(function (this: SchemaChecks, ...asked) {
    const check = original.apply(this, asked);
    return (
      check &&
      ((args) => {
        validations += 1;
        return check(args);
      })
    );
  });
});

afterEach(() => vi.restoreAllMocks());

test('a call of a plugin with a process', async () => {
  const { registry, world } = testRegistry({}, { tools: [{ name: 'echo', inputSchema }] });
  const { gate } = gateWorld({ source: registry });
  registry.registerPlugin(world.plugin);
  await registry.exposeTool('fake');
  const call = gate.call('fake__echo', {}, { caller: model });
  await vi.waitUntil(() => world.process.underWay.length === 1);
  expect(world.process.call.request.args).toEqual({ n: 7 });
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
  expect(validations).toBe(1);

  world.plugin.call('echo', { n: 1 });
  await settled();
  expect(validations).toBe(2);
});

test('a call after a restart, whose manifest is a new object', async () => {
  const copied = () => structuredClone([{ name: 'echo', inputSchema }]);
  const { registry, world } = testRegistry({}, { tools: copied() });
  const { gate } = gateWorld({ source: registry });
  registry.registerPlugin(world.plugin);
  await registry.exposeTool('fake');
  world.process.services?.toolsChanged(copied());
  gate.call('fake__echo', {}, { caller: model });
  await vi.waitUntil(() => world.process.underWay.length === 1);
  expect(validations).toBe(1);
});

test('a call that waits while its tool gets another schema is validated against that', async () => {
  const { registry, world } = testRegistry({}, { tools: [{ name: 'echo', inputSchema }, { name: 'slow' }] });
  const { gate } = gateWorld({ source: registry });
  registry.registerPlugin(world.plugin);
  await registry.exposeTool('fake');
  gate.call('fake__slow', {}, { caller: model });
  await vi.waitUntil(() => world.process.underWay.length === 1);
  const call = gate.call('fake__echo', { n: 1 }, { caller: model });
  await vi.waitUntil(() => world.plugin.status.waiting === 1);
  world.process.services?.toolsChanged([{ name: 'echo', inputSchema: { required: ['other'] } }]);
  world.process.call.end();
  expect(await call).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
});

test('a call of a definition in this process', async () => {
  const definition = definePlugin({
    name: 'own',
    version: '1',
    tools: { echo: { input: inputSchema as { type: 'object' }, handler: (args) => args } },
  });
  let checks = 0;
  const counted: Definition = {
    ...definition,
    tools: definition.tools.map((tool) => ({
      ...tool,
      input: {
        ...tool.input,
        check: (value) => {
          checks += 1;
          return tool.input.check(value);
        },
      },
    })),
  };
  const { registry } = testRegistry();
  const { gate } = gateWorld({ source: registry });
  registry.registerPlugin(counted);
  await registry.exposeTool('own');
  const call = gate.call('own__echo', {}, { caller: model });
  await rounds();
  expect(await call).toMatchObject({ ok: true, data: { n: 7 } });
  expect([validations, checks]).toEqual([1, 0]);

  expect(await registry.resolveTool('own__echo')?.call({})).toMatchObject({ ok: true, data: { n: 7 } });
  expect([validations, checks]).toEqual([1, 1]);
});
