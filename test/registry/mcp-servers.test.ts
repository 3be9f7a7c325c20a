// The servers behind the command `mcp`, as real processes.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mcpProject as project, quiet, server } from './mcp-project.ts';
import { oauthWorld, sayYes } from '../support/dialect/mcp/oauth-server.ts';
import { root } from '../support/project.ts';
import { comesTo } from '../support/fleet/real-fleet.ts';
import { writeFiles } from '../support/temporary-folder.ts';

describe('reload', () => {
  test('starts all at once, and one that fails leaves the others alone', async () => {
    const { servers, fleet } = await project({
      good: server('well-behaved'),
      bad: server('crashes-before-hello'),
      dice: { command: process.execPath, args: [path.join(root, 'examples/mcp-dice/server.mjs')] },
    });
    const reloaded = await servers.reload(quiet);
    expect(reloaded).toMatchObject({ added: ['good', 'bad', 'dice'], changed: [], removed: [], kept: [] });
    const states = Object.fromEntries(reloaded.servers.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ good: 'ready', dice: 'ready' });
    expect(['failed', 'backoff']).toContain(states['bad']);
    const bad = reloaded.servers.find(({ name }) => name === 'bad');
    expect(bad?.reason).toMatch(/bad/);
    expect(fleet.plugin('dice').tools().length).toBeGreaterThan(0);
    expect(
      servers.logs().some(({ server: name, message }) => name === 'bad' && message.includes('left-pad')),
    ).toBe(true);
    servers.clearLogs();
    expect(servers.logs()).toEqual([]);
  });

  test('touches only what is other than before', async () => {
    const { servers, fleet, write, trusted } = await project({
      same: server('well-behaved'),
      other: server('well-behaved'),
      gone: server('well-behaved'),
    });
    await servers.reload(quiet);
    const [same] = fleet.plugin('same').status.pids;
    const [other] = fleet.plugin('other').status.pids;
    write({ same: server('well-behaved'), other: server('grows-a-tool'), fresh: server('well-behaved') });
    await trusted();
    expect((await servers.list()).servers).toMatchObject([
      { name: 'same', state: 'ready' },
      { name: 'other', state: 'ready', isOutdated: true },
      { name: 'fresh', state: 'not connected' },
    ]);
    expect(await servers.reload(quiet)).toMatchObject({
      added: ['fresh'],
      changed: ['other'],
      removed: ['gone'],
      kept: ['same'],
    });
    expect(fleet.plugins.map(({ name }) => name).toSorted()).toEqual(['fresh', 'other', 'same']);
    expect(fleet.plugin('same').status.pids).toEqual([same]);
    expect(fleet.plugin('other').status.pids).not.toEqual([other]);
    expect(fleet.plugin('other').tools()).toMatchObject([{ name: 'grow' }]);
  });

  test('of a file that cannot be read stops nobody', async () => {
    const { servers, fleet, file } = await project({ a: server('well-behaved') });
    await servers.reload(quiet);
    fs.writeFileSync(file, '{ broken');
    const reloaded = await servers.reload(quiet);
    expect(reloaded.removed).toEqual([]);
    expect(reloaded.problems.join()).toContain('invalid JSON');
    expect(fleet.plugin('a').status.state).toBe('ready');
  });

  test('starts nothing that is not trusted', async () => {
    const { servers, fleet } = await project({ a: server('well-behaved') }, { isTrusted: false });
    const reloaded = await servers.reload(quiet);
    expect(reloaded.servers).toMatchObject([
      { name: 'a', state: 'not trusted', reason: expect.stringContaining('pluglot trust add') as unknown },
    ]);
    expect(fleet.plugins).toEqual([]);
    await expect(servers.connect('a', quiet)).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  });
});

test('tools that come later are seen', async () => {
  const { servers, fleet } = await project({ a: server('grows-a-tool') });
  await servers.connect('a', quiet);
  const plugin = fleet.plugin('a');
  const changed = new Promise<void>((resolve) => {
    plugin.onEvent(({ kind }) => void (kind === 'tools-changed' && resolve()));
  });
  await plugin.call('grow');
  await changed;
  const { servers: views } = await servers.list();
  expect(views[0]?.tools.map(({ name }) => name)).toEqual(['grow', 'grown-1']);
});

test('a server that crashes is connected again by itself', async () => {
  const { servers, fleet, home } = await project({ a: server('crashes-in-a-call') });
  writeFiles(path.join(home, 'pluglot'), {
    'pluglot.json': { plugins: { a: { restart: { firstDelayMs: 1 } } } },
  });
  await servers.connect('a', quiet);
  const plugin = fleet.plugin('a');
  const unhealthy = comesTo(plugin, 'unhealthy');
  const call = plugin.call(plugin.tools()[0]?.name ?? '', { a: 1, b: 2 });
  await unhealthy;
  await comesTo(plugin, 'ready');
  expect((await call.outcome).ok).toBe(false);
  expect((await servers.list()).servers).toMatchObject([{ state: 'ready', restarts: 1 }]);
});

test('connect and disconnect', async () => {
  const { servers } = await project({
    a: server('well-behaved'),
    off: { ...server('well-behaved'), disabled: true },
  });
  expect(await servers.connect('a', quiet)).toMatchObject({ state: 'ready', transport: 'stdio' });
  expect(await servers.disconnect('a')).toMatchObject({ state: 'stopped' });
  expect(await servers.connect('a', quiet)).toMatchObject({ state: 'ready' });
  await expect(servers.connect('off', quiet)).rejects.toThrow(/is disabled in .*\.mcp\.json:/);
  await expect(servers.connect('aa', quiet)).rejects.toThrow('Did you mean "a"');
});

test('a connect that is given up stops the server', async () => {
  const { servers, fleet } = await project({ a: server('never-answers-initialize') });
  const controller = new AbortController();
  const connecting = servers.connect('a', { ...quiet, signal: controller.signal });
  await expect.poll(() => fleet.plugins[0]?.status.state, { timeout: 20_000 }).toBe('starting');
  controller.abort();
  await expect(connecting).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
});

describe('the file', () => {
  test('is made, trusted and used by add, and follows what is done through us', async () => {
    const { servers, read, file } = await project(undefined);
    const entry = { dialect: 'mcp', ...server('well-behaved'), env: { TOKEN: '${TOKEN:-x}' } } as const;
    const added = await servers.add('a', entry, { ...quiet, isUser: false });
    expect(added).toMatchObject({ file, server: { name: 'a', state: 'ready' } });
    expect(JSON.parse(read())).toMatchObject({ mcpServers: { a: { type: 'stdio' } } });
    expect((await servers.add('b', entry, { ...quiet, isUser: false })).server).toMatchObject({
      state: 'ready',
    });
    await expect(servers.add('a', entry, { ...quiet, isUser: false })).rejects.toThrow(
      'a plugin of this name exists already',
    );
    await servers.remove('a');
    expect(JSON.parse(read())).toMatchObject({ mcpServers: { b: {} } });
    expect((await servers.list()).servers).toMatchObject([{ name: 'b', state: 'ready' }]);
  });

  test('stays untrusted when it was, whatever is added', async () => {
    const { servers, fleet } = await project({ theirs: server('well-behaved') }, { isTrusted: false });
    const { server: mine } = await servers.add('mine', server('well-behaved'), { ...quiet, isUser: false });
    expect(mine).toMatchObject({ state: 'not trusted' });
    expect(fleet.plugins).toEqual([]);
  });

  test('that is the user’s own may hold secrets, which nobody is shown', async () => {
    const { servers, home } = await project(undefined);
    const entry = { dialect: 'mcp', ...server('well-behaved'), env: { API_KEY: 'hunter2' } } as const;
    await expect(servers.add('a', entry, { ...quiet, isUser: false })).rejects.toThrow('looks like a secret');
    const added = await servers.add('a', entry, { ...quiet, isUser: true });
    expect(added.server).toMatchObject({ state: 'ready', entry: { env: { API_KEY: '***' } } });
    expect(fs.statSync(path.join(home, '.mcp.json')).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await servers.list())).not.toContain('hunter2');
  });

  test('a server that does not start is there all the same', async () => {
    const { servers, read } = await project(undefined);
    const { server: bad } = await servers.add(
      'bad',
      { command: '/no/such/program' },
      { ...quiet, isUser: false },
    );
    expect(bad).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('/no/such/program') as unknown,
    });
    expect(read()).toContain('bad');
  });

  test('a server of pluglot.json is listed, and removed there', async () => {
    const { servers, home } = await project(undefined);
    const plugins = {
      mine: { dialect: 'mcp', ...server('well-behaved') },
      other: { dialect: 'yams', command: 'x' },
    };
    writeFiles(path.join(home, 'pluglot'), { 'pluglot.json': { plugins } });
    expect((await servers.list()).servers.map(({ name }) => name)).toEqual(['mine']);
    await expect(servers.remove('mine')).rejects.toThrow('pluglot remove mine');
  });

  test('a broken server can be removed', async () => {
    const { servers, read } = await project({ broken: { command: 7 } });
    await servers.remove('broken');
    expect(JSON.parse(read())).toEqual({ mcpServers: {} });
  });
});

test('a server that wants to know who asks is let in by connect, and forgotten by remove', async () => {
  const world = await oauthWorld();
  const { servers, fleet } = await project({
    remote: { type: 'http', url: world.url, headers: { 'X-Key': 'hunter2' }, oauth: { scope: 'tools' } },
  });
  const shown: string[] = [];
  const show = (server: string, url: string) => {
    shown.push(`${server} ${url}`);
    void sayYes(url);
  };
  const view = await servers.connect('remote', { ...quiet, show });
  expect(view).toMatchObject({
    state: 'ready',
    transport: 'http',
    target: world.url,
    entry: { headers: { 'X-Key': '***' } },
  });
  expect(shown).toHaveLength(1);
  const visible = JSON.stringify([await servers.list(), servers.logs()]);
  expect([...world.secrets, 'hunter2'].filter((secret) => visible.includes(secret))).toEqual([]);

  await servers.disconnect('remote');
  await fleet.plugin('remote').start();
  expect(shown).toHaveLength(1);
  await servers.remove('remote');
  await servers.add('again', { url: world.url }, { ...quiet, show, isUser: false });
  expect(shown).toHaveLength(2);
});
