// The MCP endpoint of `pluglot up` while it stops, and while its files change.
import { expect, test } from 'vitest';
import { cli, fixture } from '../support/surface/command-line.ts';
import { callOverHttp, getJson, mcpClient, servedUp, userHeaders } from '../support/surface/running-up.ts';

const gassist = (program: string) => ({
  command: process.execPath,
  args: [fixture(`gassist/${program}.mjs`)],
  dialect: 'gassist',
});
const plugins = { slow: gassist('never-completes'), talker: gassist('well-behaved') };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

test('calls under way when it is stopped are answered, in both eras', async () => {
  const { up, ...served } = await servedUp({ plugins });
  const clients = [await mcpClient(served), await mcpClient(served, '', modern)];
  const heard: (() => void)[] = [];
  const begun = clients.map(() => new Promise<void>((resolve) => heard.push(resolve)));
  const called = clients.map((client, at) =>
    client.callTool({ name: 'work' }, { onprogress: () => heard[at]?.() }),
  );
  await begun[0];
  up.child.kill('SIGINT');
  for (const result of await Promise.all(called)) {
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('The host is shutting down.');
  }
  expect(await up.ended).toBe(130);
});

test('a profile that changes ends nobody but those whose token or profile is gone; a broken file ends nobody', async () => {
  const profiles = {
    wide: { plugins: ['talker', 'slow'] },
    locked: { plugins: ['slow'], token: 'first-token' },
  };
  const { up, write, ...served } = await servedUp({ plugins, profiles });
  const told = { wide: 0, other: 0 };
  const hearing = (who: keyof typeof told) => ({
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (told[who] += 1) } },
  });
  const wide = await mcpClient(served, '?profile=wide', hearing('wide'));
  const other = await mcpClient(served, '', hearing('other'));
  const locked = await mcpClient({ ...served, token: 'first-token' }, '?profile=locked');
  const count = async (client: typeof wide) => (await client.listTools()).tools.length;
  const before = { wide: await count(wide), other: await count(other) };
  let hear = () => {};
  const begun = new Promise<void>((resolve) => (hear = resolve));
  const calling = other.callTool({ name: 'work' }, { onprogress: () => hear() });
  await begun;
  const ofLocked = locked.callTool({ name: 'work' });

  write('pluglot.json', '{ "plugins": { ');
  await up.until('stderr', /pluglot\.json:1.*invalid JSON.*Keeping the last valid/);
  write('pluglot.json', { plugins, profiles });
  await up.until('stderr', /All files can be read again/);
  expect(up.stdout).not.toContain('profiles reloaded');

  write('pluglot.json', {
    plugins,
    profiles: { wide: { plugins: ['talker'] }, locked: { plugins: ['slow'], token: 'second-token' } },
  });
  const [line] = await up.until('stdout', /^.*profiles reloaded.*$/m);
  expect(line).toContain('their clients connect again: locked');
  const ended = await ofLocked;
  expect(ended.isError).toBe(true);
  expect(JSON.stringify(ended.content)).toContain('The profile \\"locked\\" has another token now.');
  await expect(locked.listTools()).rejects.toThrow(/token/);
  await expect.poll(() => told.wide).toBe(1);
  expect(await count(wide)).toBeLessThan(before.wide);
  expect(await count(other)).toBe(before.other);
  expect(told.other).toBe(0);
  up.child.kill('SIGINT');
  // It was still under way.
  expect(JSON.stringify((await calling).content)).toContain('shutting down');
  expect(await up.ended).toBe(130);
});

test('on all addresses, API and endpoint are reached by number, and the lines to copy have one that others reach', async () => {
  const { up, ...served } = await servedUp({ plugins: { talker: plugins.talker } }, ['--host', '0.0.0.0']);
  expect(up.stdout).not.toContain('0.0.0.0');
  expect(up.stderr).toContain(`which others can reach as ${served.url}: everyone with a token`);
  // Of this machine too, but none of the names that are always taken.
  const byNumber = served.url.replace(/[\d.]+(?=:\d+$)/, '127.0.0.2');
  for (const place of [served.url, byNumber]) {
    const headers = await userHeaders(served);
    expect((await fetch(`${place}/api/v1/plugins`, { headers })).status).toBe(200);
    const client = await mcpClient({ ...served, url: place });
    expect((await client.listTools()).tools).not.toEqual([]);
  }
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('a plugin that somebody stopped offers nothing until it is started; one that was killed goes on offering', async () => {
  const { up, ...served } = await servedUp({ plugins });
  let told = 0;
  const client = await mcpClient(served, '', {
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (told += 1) } },
  });
  const offered = async () => {
    const { tools } = (await getJson(served, '/api/v1/tools')) as { tools: { plugin: string }[] };
    const overMcp = (await client.listTools()).tools.map(({ name }) => name);
    return [tools.some(({ plugin }) => plugin === 'slow'), overMcp.includes('slow__work')];
  };
  const act = async (action: string) =>
    fetch(`${served.url}/api/v1/plugins/slow/${action}`, {
      method: 'POST',
      headers: await userHeaders(served),
    });
  expect(await offered()).toEqual([true, true]);
  await act('stop');
  await expect.poll(() => told).toBe(1);
  expect(await offered()).toEqual([false, false]);
  await expect(client.callTool({ name: 'work' })).rejects.toThrow(/"slow" is stopped.*pluglot start slow/);
  expect(await callOverHttp(served, 'work', {})).toMatchObject({
    ok: false,
    error: { code: 'PLUGIN_STOPPED' },
  });
  expect(await act('start')).toMatchObject({ status: 200 });
  await expect.poll(() => told).toBe(2);
  expect(await offered()).toEqual([true, true]);
  const { pids } = (await getJson(served, '/api/v1/plugins/slow')) as { pids: number[] };
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await up.until('stdout', /^slow (backoff|ready)/m);
  expect(await offered()).toEqual([true, true]);
  // A built-in one is as any other.
  const todo = (action: string) => cli([action, 'todo'], { home: served.home, cwd: served.cwd });
  expect(await todo('stop')).toMatchObject({ exitCode: 0 });
  expect((await cli(['call', 'todo__getTodos'], { home: served.home, cwd: served.cwd })).stderr).toContain(
    'pluglot start todo',
  );
  expect(await todo('start')).toMatchObject({ exitCode: 0 });
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});
