// `pluglot tokens` and `pluglot console`: with and without a running `up`, and what clients get of it.
import { expect, test } from 'vitest';
import { cli } from '../support/surface/command-line.ts';
import { getJson, mcpClient, servedUp, userHeaders } from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Listed {
  readonly name: string;
  readonly purpose: string;
  readonly profile?: string;
  readonly lastUsedAt?: string;
}

const profiles = { reader: { readOnly: true }, locked: { token: 'of-the-locked-one' } };

test('without a running `up` tokens are made, listed and revoked in the state folder', async () => {
  const at = {
    home: temporaryFolder({ 'pluglot/pluglot.json': { profiles } }),
    cwd: temporaryFolder({ '.git/HEAD': '' }),
  };
  const run = (...words: string[]) => cli(['tokens', ...words], at);
  const made = await run('new', 'laptop', '--profile', 'reader');
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^plt_[\w-]{43}\n$/) as string });
  expect(made.stderr).toContain('laptop opens /mcp with the profile reader. Its token, shown this once:');
  const json = JSON.parse((await run('new', 'ci', '--for', 'api', '--json')).stdout) as {
    token: Listed;
    secret: string;
  };
  expect(json).toMatchObject({
    token: { name: 'ci', purpose: 'api' },
    secret: expect.stringMatching(/^plt_/) as string,
  });
  const listed = JSON.parse((await run('list', '--json')).stdout) as Listed[];
  expect(listed.map(({ name, purpose, profile }) => [name, purpose, profile])).toEqual([
    ['laptop', 'mcp', 'reader'],
    ['ci', 'api', undefined],
    ['profile:locked', 'mcp', 'locked'],
  ]);
  const { stdout } = await run();
  expect(stdout).toMatch(/^NAME +FOR +PROFILE +CREATED +LAST USED$/m);
  expect(stdout).toMatch(/^laptop +mcp +reader +\d{4}-\d\d-\d\d \d\d:\d\d +never$/m);
  expect(stdout).toMatch(/^profile:locked +mcp +locked +pluglot\.json +never$/m);
  expect(stdout).not.toContain('plt_');
  expect(await run('revoke', 'laptop')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('is revoked') as string,
  });
  for (const [words, says] of [
    [['revoke', 'cii'], 'There is no token "cii". Did you mean "ci"?'],
    [['revoke', 'profile:locked'], 'stands in pluglot.json'],
    [['new'], 'Say which token'],
    [['new', 'default'], 'cannot be the name of a token'],
    [['new', 'ci'], 'There is a token "ci" already'],
    [
      ['new', 'x', '--profile', 'raeder'],
      'There is no profile "raeder" in pluglot.json. Did you mean "reader"?',
    ],
    [['new', 'x', '--for', 'api', '--profile', 'reader'], 'A profile is for clients of MCP'],
    [['new', 'x', '--for', 'everything'], 'Allowed choices are mcp, metrics, api-read, api'],
    [['list', 'x'], 'takes no name'],
  ] as const) {
    const refused = await run(...words);
    expect(refused.exitCode, words.join(' ')).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
  }
  const nobody = await cli(['console'], at);
  expect(nobody).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No `pluglot up`') as string });
});

test('in a running `up` they count at once, what is revoked ends, and the console is entered by fresh links', async () => {
  const { up, home, cwd, ...served } = await servedUp({ profiles });
  const run = (...words: string[]) => cli(words, { home, cwd });
  const secretOf = async (...words: string[]) => (await run('tokens', 'new', ...words)).stdout.trim();
  const laptop = await mcpClient({ ...served, token: await secretOf('laptop') });
  const reader = await mcpClient({ ...served, token: await secretOf('reads', '--profile', 'reader') });
  const all = (await laptop.listTools()).tools.map(({ name }) => name);
  const some = (await reader.listTools()).tools.map(({ name }) => name);
  expect(some.length).toBeLessThan(all.length);

  // What `up` says that clients get is what they get, and what everybody else counts.
  const [, offered] = await up.until(
    'stdout',
    /Clients are offered (\d+) tools? of \d+ plugins?; not those of cli/,
  );
  expect(all).toHaveLength(Number(offered));
  const { tools } = (await getJson(served, '/api/v1/tools')) as {
    tools: { name: string; clients: boolean }[];
  };
  expect(tools.filter(({ clients }) => clients)).toHaveLength(all.length);
  const shown = JSON.parse((await run('tools', '--all', '--json')).stdout) as { name: string }[];
  expect(shown.map(({ name }) => name).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  expect(all.filter((name) => name.startsWith('cli_'))).toEqual([]);

  // The token that is printed opens /mcp alone.
  const status = async (path: string, token: string) =>
    (await fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status('/api/v1/tools', served.token), await status('/metrics', served.token)]).toEqual([
    403, 403,
  ]);
  const metrics = await secretOf('prometheus', '--for', 'metrics');
  expect([await status('/metrics', metrics), await status('/api/v1/tools', metrics)]).toEqual([200, 403]);

  const used = JSON.parse((await run('tokens', '--json')).stdout) as Listed[];
  expect(used.find(({ name }) => name === 'laptop')).toHaveProperty('lastUsedAt');
  expect((await run('tokens', 'revoke', 'laptop')).exitCode).toBe(0);
  await expect(laptop.listTools()).rejects.toThrow(/token/);
  expect((await reader.listTools()).tools).toHaveLength(some.length);

  const link = (await run('console')).stdout.trim();
  const other = (JSON.parse((await run('console', '--json')).stdout) as { url: string }).url;
  expect(link).toContain(`${served.url}/#/enter/`);
  for (const one of [link, other]) {
    const answer = await fetch(`${served.url}/api/v1/tokens`, {
      headers: await userHeaders({ ...served, link: one }),
    });
    expect(answer.status).toBe(200);
  }
  const browsers = (JSON.parse((await run('tokens', '--json')).stdout) as Listed[]).filter(
    ({ purpose }) => purpose === 'console',
  );
  expect(browsers).toHaveLength(3);
  for (const { name } of browsers) await run('tokens', 'revoke', name);
  const out = await fetch(`${served.url}/api/v1/tokens`, { headers: await userHeaders({ ...served, link }) });
  expect(out.status).toBe(401);

  // The audit says who it was.
  await reader.callTool({ name: some[0] ?? '', arguments: {} }).catch(() => {});
  const audit = await run('audit', '--json');
  const [last] = audit.stdout.trim().split('\n').slice(-1);
  expect(JSON.parse(last ?? '{}')).toMatchObject({ caller: 'client "a test" (token reads, profile reader)' });
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});
