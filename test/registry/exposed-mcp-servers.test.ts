// The servers behind the command `mcp` where a registry exposes what is connected, as real processes.
import { expect, test } from 'vitest';
import { mcpRegistry, quiet, server } from './mcp-project.ts';

test('what is connected is exposed, what fails says why, and names that two have are parted', async () => {
  const { servers, registry, fleet } = await mcpRegistry({
    one: server('well-behaved'),
    two: server('well-behaved'),
    bad: server('crashes-before-hello'),
  });
  const { servers: views } = await servers.reload(quiet);
  expect(views).toMatchObject([
    { name: 'one', state: 'ready' },
    { name: 'two', state: 'ready' },
    { name: 'bad', state: 'failed', reason: expect.stringContaining('bad') as unknown },
  ]);
  expect(registry.listExposed().toSorted()).toEqual(['one', 'two']);
  const [tool] = fleet.plugin('one').tools();
  const names = registry.getExposedDeclarations().map(({ name }) => name);
  expect(names).toContain(`one__${tool?.name}`);
  expect(names).toContain(`two__${tool?.name}`);
  expect(
    servers.logs().some(({ server: name, message }) => name === 'bad' && message.includes('left-pad')),
  ).toBe(true);
});

test('disconnect takes the tools away, and reload leaves it so until it is connected again', async () => {
  const { servers, registry } = await mcpRegistry({ a: server('well-behaved') });
  await servers.connect('a', quiet);
  expect(registry.isExposed('a')).toBe(true);
  expect(await servers.disconnect('a')).toMatchObject({ state: 'stopped' });
  expect(registry.isExposed('a')).toBe(false);
  expect(await servers.reload(quiet)).toMatchObject({ added: [], kept: ['a'] });
  expect(registry.isExposed('a')).toBe(false);
  expect(await servers.connect('a', quiet)).toMatchObject({ state: 'ready' });
  expect(registry.getExposedDeclarations().length).toBeGreaterThan(0);
});

test('reload follows the files', async () => {
  const { servers, registry, write, trusted } = await mcpRegistry({
    other: server('well-behaved'),
    gone: server('well-behaved'),
  });
  await servers.reload(quiet);
  write({ other: server('grows-a-tool'), fresh: server('well-behaved') });
  await trusted();
  expect(await servers.reload(quiet)).toMatchObject({
    added: ['fresh'],
    changed: ['other'],
    removed: ['gone'],
  });
  expect(registry.listExposed().toSorted()).toEqual(['fresh', 'other']);
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toContain('other__grow');
});

test('a connect that is given up leaves nothing', async () => {
  const { servers, registry, fleet } = await mcpRegistry({ a: server('never-answers-initialize') });
  const controller = new AbortController();
  const connecting = servers.connect('a', { ...quiet, signal: controller.signal });
  await expect.poll(() => fleet.plugins[0]?.status.state, { timeout: 20_000 }).toBe('starting');
  controller.abort();
  await expect(connecting).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  expect(fleet.plugins).toEqual([]);
  expect(registry.isExposed('a')).toBe(false);
});

test('what is not trusted is not exposed', async () => {
  const { servers, registry } = await mcpRegistry({ a: server('well-behaved') }, { isTrusted: false });
  expect((await servers.reload(quiet)).servers).toMatchObject([{ name: 'a', state: 'not trusted' }]);
  await expect(servers.connect('a', quiet)).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(registry.listExposed()).toEqual([]);
});
