// What `pluglot up` serves, and how it follows its files.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cli, fixture, startCli, type RunningCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import {
  callOverHttp,
  getJson,
  mcpClient,
  ofEachDialect,
  servedAt,
  userHeaders,
  type Served,
} from '../support/surface/running-up.ts';
import { onScreen } from '../support/surface/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('with nothing configured the examples run: every dialect over HTTP and MCP; what writes is asked about', async () => {
  const { up, served } = await serving({ 'note.txt': 'hello', '.git/HEAD': '' }, ['--port', '0']);
  expect(up.stdout).toMatch(/(\d) of \1 plugins are ready\./);
  await up.until('stdout', /Nothing is configured, so these are examples\. Add yours: pluglot add NAME/);
  const client = await mcpClient(served);
  for (const [, tool, args, says] of ofEachDialect)
    expect(JSON.stringify(await callOverHttp(served, tool, args))).toMatch(says);
  const rolled = await client.callTool({ name: 'roll', arguments: { dice: '1d1' } });
  expect(rolled.isError ?? false).toBe(false);

  const writing = client.callTool({ name: 'write', arguments: { file: 'new.txt', text: 'x' } });
  await up.until(
    'stderr',
    /"a test" \(token default\) wants to call workspace__write\. Allow or deny it: http/,
  );
  const { pending } = (await getJson(served, '/api/v1/approvals')) as { pending: { id: string }[] };
  const answered = await fetch(`${served.url}/api/v1/approvals/${pending[0]?.id}`, {
    method: 'POST',
    headers: await userHeaders(served),
    body: JSON.stringify({ kind: 'deny', scope: 'once', by: 'a test' }),
  });
  expect(answered.status).toBe(204);
  expect((await writing).isError).toBe(true);
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('the usual port, else the next; one that was asked for, or an error; the token stays the same', async () => {
  const host = ownAddress();
  await listenOn(host, 7717);
  const home = temporaryFolder();
  const { up, served } = await serving(dice(), ['--host', host], home);
  expect(served.url).toBe(`http://${host}:7718`);
  up.child.kill('SIGINT');
  await up.ended;
  const at = { home, cwd: project(dice(), home) };
  const refused = await cli(['up', '--host', host, '--port', '7717'], at);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /cannot listen on [\d.]+:7717: something else listens there\. Choose another port\. \(INVALID_ARGUMENTS\)/,
  );
  const nowhere = await cli(['up', '--host', '192.0.2.1'], at);
  expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
  expect(nowhere.stderr).toMatch(/this machine does not have that address\. Choose another host\./);
  const next = await serving(dice(), ['--port', '0', '--json', '--no-console'], home);
  const [first = ''] = next.up.stdout.split('\n');
  expect(JSON.parse(first)).toMatchObject({ token: served.token, mcp: `${next.served.url}/mcp` });
  expect(await fetch(next.served.url)).toMatchObject({ status: 404 });
  next.up.child.kill('SIGINT');
  expect(await next.up.ended).toBe(130);
});

test('it follows its files: a plugin, the rules, a profile; of what is broken the last valid version stays, but broken rules deny', async () => {
  const run = newRun();
  const home = temporaryFolder({ 'pluglot/pluglot.json': config(run, {}) });
  const file = path.join(home, 'pluglot/pluglot.json');
  const write = (content: unknown) =>
    fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const { up, served } = await serving({}, ['--port', '0'], home);
  const pidOf = async (name: string) => {
    const { pids } = (await getJson(served, `/api/v1/plugins/${name}`)) as { pids: number[] };
    return pids[0];
  };
  const before = { talker: await pidOf('talker'), other: await pidOf('other') };

  write(config(run, { other: { limits: { callMs: 1234 } } }));
  await up.until('stdout', /configuration: started again: other$/m);
  await expect.poll(() => pidOf('other')).not.toBe(before.other);
  expect(await pidOf('talker')).toBe(before.talker);

  write('{ "plugins": { ');
  await up.until('stderr', /pluglot\.json:1.*invalid JSON.*Keeping the last valid/);
  expect(await callOverHttp(served, 'talker__count', { to: 1 })).toMatchObject({ ok: true });
  write({ ...config(run, {}), profiles: { small: { plugins: ['other'], token: 'of-the-small-one' } } });
  await up.until('stderr', /All files can be read again/);
  await up.until('stdout', /profiles reloaded/);
  const client = await mcpClient({ ...served, token: 'of-the-small-one' }, '?profile=small');
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names).not.toEqual([]);
  expect((await names()).filter((name) => name.startsWith('talker__'))).toEqual([]);

  const all = await mcpClient(served);
  fs.writeFileSync(
    path.join(home, 'pluglot/permissions.json'),
    JSON.stringify({ defaultPolicy: 'deny', whitelist: { tools: ['other__count'] } }),
  );
  const isError = async (name: string) =>
    (await all.callTool({ name, arguments: { to: 1 } })).isError ?? false;
  await up.until('stdout', /permission rules and limits reloaded/);
  expect(await isError('other__count')).toBe(false);
  expect(await isError('talker__count')).toBe(true);

  fs.writeFileSync(path.join(home, 'pluglot/permissions.json'), '{ "defaultPolicy": "allow", "deny": [');
  await up.until(
    'stderr',
    /permissions\.json:1.*invalid JSON.*everything but what a person types is denied\.$/m,
  );
  expect(await isError('other__count')).toBe(true);

  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('it follows what comes later: the folder of the user, and rules and plugins in folders that a configuration names', async () => {
  const run = newRun();
  const home = temporaryFolder();
  const cwd = temporaryFolder({ '.git/HEAD': '' });
  const env = { PLUGLOT_HOME: '' };
  const up = startCli(['up', '--port', '0'], { home, cwd, env });
  await up.until('stdout', /plugins? (?:is|are) ready/);
  const served = servedAt(up.stdout);
  const write = (file: string, content: unknown) => {
    const place = path.join(home, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, JSON.stringify(content));
  };
  const { plugins } = config(run, {});
  const own = '.config/pluglot/pluglot.json';
  write(own, { plugins: { talker: plugins.talker } });
  await up.until('stdout', /configuration: added: talker$/m);

  write(own, { plugins, folders: ['../../tools/mine'], gate: { permissions: '../../rules/mine.json' } });
  await up.until('stdout', /configuration: added: other$/m);
  await up.until('stderr', /mine\.json: the file is not there/);
  const isAllowed = async () =>
    (await callOverHttp(served, 'talker__count', { to: 1 }, { kind: 'client' }))['ok'] === true;
  write('rules/mine.json', { defaultPolicy: 'allow' });
  await up.until('stdout', /configuration: permission rules and limits reloaded$/m);
  // It may still be starting.
  await expect.poll(isAllowed).toBe(true);
  write('rules/mine.json', { defaultPolicy: 'deny' });
  await expect.poll(isAllowed).toBe(false);

  const manifest = { name: 'later', protocol_version: '2.0', executable: 'plugin.mjs', functions: [] };
  write('tools/mine/later/manifest.json', manifest);
  fs.copyFileSync(fixture('gassist/well-behaved.mjs'), path.join(home, 'tools/mine/later/plugin.mjs'));
  const names = async () => JSON.stringify(await getJson(served, '/api/v1/plugins'));
  await expect.poll(names).toContain('"later"');
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('on a terminal: one screen, drawn in place, and nothing left after two Ctrl-C', async () => {
  const home = temporaryFolder();
  const run = newRun();
  fs.mkdirSync(path.join(home, 'pluglot'));
  fs.writeFileSync(path.join(home, 'pluglot/pluglot.json'), JSON.stringify(config(run, {})));
  const screen = onScreen(['up', '--port', '0'], {}, temporaryFolder({ '.git/HEAD': '' }), home);
  await screen.until(/2 of 2 plugins are ready\. Ctrl-C stops them\./);
  const lines = screen.text().split(/\r?\n/);
  for (const name of ['talker', 'other']) expect(screen.raw()).toMatch(new RegExp(`●.*${name}.*ready`));
  expect(lines.some((line) => line.startsWith('talker ready'))).toBe(false);
  screen.type('\u0003\u0003');
  expect(await screen.ended).toBe(130);
  await expect.poll(() => survivors(run)).toEqual([]);
});

/** Where nobody else on this machine is, so that its ports are free: on the usual address another `up` may come and go. */
function ownAddress(): string {
  // Elsewhere this machine is reached by one address alone.
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.77.${(process.pid >> 8) & 255}.${process.pid & 255}`;
}

async function listenOn(host: string, port: number): Promise<void> {
  const server = net.createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

const talker = (run: string) => ({
  command: process.execPath,
  args: [fixture('gassist/well-behaved.mjs'), run],
  dialect: 'gassist',
});

function config(run: string, more: { readonly other?: object }) {
  return { plugins: { talker: talker(run), other: { ...talker(run), ...more.other } } };
}

function dice() {
  return { '.git/HEAD': '', 'pluglot.json': { plugins: { talker: talker(newRun()) } } };
}

/** Nothing of it is trusted by itself: it is named by the user. */
function project(files: Parameters<typeof temporaryFolder>[0], home: string): string {
  const cwd = temporaryFolder(files);
  const file = path.join(cwd, 'pluglot.json');
  fs.mkdirSync(path.join(home, 'pluglot'), { recursive: true });
  if (fs.existsSync(file)) fs.renameSync(file, path.join(home, 'pluglot/pluglot.json'));
  return cwd;
}

async function serving(
  files: Parameters<typeof temporaryFolder>[0],
  words: readonly string[],
  home: string = temporaryFolder(),
): Promise<{ readonly up: RunningCli; readonly served: Served }> {
  const up = startCli(['up', ...words], { home, cwd: project({ '.git/HEAD': '', ...files }, home) });
  if (words.includes('--json')) {
    const [line] = await up.until('stdout', /^.*"token".*$/m);
    // Its own first line.
    return { up, served: JSON.parse(line) as Served };
  }
  await up.until('stdout', /plugins? (?:is|are) ready/);
  return { up, served: servedAt(up.stdout) };
}
