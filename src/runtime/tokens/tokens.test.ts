import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { tokensInMemory } from './token-file.ts';
import { createTokens, openTokens, Tokens } from './tokens.ts';

const FILE = 'access-tokens.json';

const places: readonly (readonly [string, () => Tokens])[] = [
  ['in memory', () => createTokens()],
  ['in a file', () => openTokens(temporaryFolder())],
];

test('a secret is passed on to be masked when its token is made, and when it is first used', async () => {
  const folder = temporaryFolder();
  const { secret } = await openTokens(folder).create({ name: 'laptop', purpose: 'api' });
  const learned: string[] = [];
  const tokens = openTokens(folder, { learn: (one) => learned.push(one) });
  await tokens.list();
  expect(tokens.find(`${secret}x`)).toBeUndefined();
  expect(learned).toEqual([]);
  tokens.find(secret);
  tokens.find(secret);
  expect(learned).toEqual([secret]);
  const made = await tokens.create({ name: 'phone', purpose: 'api' });
  expect(learned).toEqual([secret, made.secret]);
  await tokens.close();
});

describe.each(places)('tokens %s', (_, make) => {
  test('let in by their secret, until they are revoked', async () => {
    const tokens = make();
    const revoked: string[] = [];
    tokens.onRevoked(({ name }) => revoked.push(name));
    const { token, secret } = await tokens.create({ name: 'laptop', purpose: 'mcp', profile: 'reader' });
    expect(secret).toMatch(/^plt_[\w-]{43}$/);
    expect(tokens.find(secret)).toEqual(token);
    expect(token).toMatchObject({ name: 'laptop', purpose: 'mcp', profile: 'reader' });
    for (const wrong of ['', `${secret}x`, secret.slice(1), 'laptop'])
      expect(tokens.find(wrong)).toBeUndefined();
    expect(await tokens.list()).toEqual([{ ...token, lastUsedAt: expect.any(String) as string }]);
    expect(await tokens.revoke('laptop')).toBe(true);
    expect(await tokens.revoke('laptop')).toBe(false);
    expect([tokens.find(secret), revoked, await tokens.list()]).toEqual([undefined, ['laptop'], []]);
  });

  test.each([
    [{ name: 'default', purpose: 'mcp' }, 'cannot be the name'],
    [{ name: 'none', purpose: 'mcp' }, 'cannot be the name'],
    [{ name: 'a:b', purpose: 'mcp' }, 'cannot be the name'],
    [{ name: '', purpose: 'mcp' }, 'cannot be the name'],
    [{ name: 'x', purpose: 'console' }, 'not a purpose of tokens'],
    [{ name: 'x', purpose: 'api', profile: 'reader' }, 'A profile is for clients of MCP'],
    [{ name: 'taken', purpose: 'api' }, 'already'],
  ] as const)('%j is refused', async (asked, why) => {
    const tokens = make();
    await tokens.create({ name: 'taken', purpose: 'api' });
    // As programs without types may ask.
    await expect(tokens.create(asked as Parameters<Tokens['create']>[0])).rejects.toThrow(why);
    expect(await tokens.list()).toHaveLength(1);
  });

  test('the one that is printed is the same every time, and another one once it was revoked', async () => {
    const tokens = make();
    const secret = await tokens.ensureDefault();
    expect(await tokens.ensureDefault()).toBe(secret);
    expect(tokens.find(secret)).toMatchObject({ name: 'default', purpose: 'mcp' });
    expect(JSON.stringify(await tokens.list())).not.toContain(secret);
    await tokens.revoke('default');
    expect(tokens.find(secret)).toBeUndefined();
    expect(await tokens.ensureDefault()).not.toBe(secret);
  });

  test('a new token of the same name has another id', async () => {
    const tokens = make();
    const { token: first } = await tokens.create({ name: 'laptop', purpose: 'mcp' });
    await tokens.revoke('laptop');
    const { token: second, secret } = await tokens.create({ name: 'laptop', purpose: 'mcp' });
    expect(first.id).toMatch(/^[\w-]{16}$/);
    expect(second.id).not.toBe(first.id);
    expect(tokens.find(secret)?.id).toBe(second.id);
  });

  test('of profiles keep their id until the profile has another secret', () => {
    const tokens = make();
    const idOf = (secret: string) => {
      tokens.useConfigured(new Map([['reader', secret]]));
      return tokens.find(secret)?.id;
    };
    const first = idOf('one');
    expect(idOf('one')).toBe(first);
    expect(idOf('two')).not.toBe(first);
  });

  test('those of profiles let in as long as they are configured', async () => {
    const tokens = make();
    const revoked: string[] = [];
    tokens.onRevoked(({ name }) => revoked.push(name));
    tokens.useConfigured(
      new Map([
        ['reader', 'one'],
        ['writer', 'two'],
      ]),
    );
    expect(tokens.find('one')).toMatchObject({ name: 'profile:reader', purpose: 'mcp', profile: 'reader' });
    await expect(tokens.revoke('profile:reader')).rejects.toThrow('pluglot.json');
    tokens.useConfigured(
      new Map([
        ['reader', 'other'],
        ['writer', 'two'],
      ]),
    );
    expect([tokens.find('one'), tokens.find('two')?.name, revoked]).toEqual([
      undefined,
      'profile:writer',
      ['profile:reader'],
    ]);
  });
});

test('a token that moves to another profile is revoked for the one before', () => {
  const tokens = createTokens();
  const revoked: string[] = [];
  tokens.onRevoked(({ name }) => revoked.push(name));
  tokens.useConfigured(new Map([['reader', 'one']]));
  tokens.useConfigured(new Map([['writer', 'one']]));
  expect([tokens.find('one')?.profile, revoked]).toEqual(['writer', ['profile:reader']]);
});

test('a token of two profiles, or an empty one, opens none of them', () => {
  const tokens = createTokens();
  const profiles = { reader: 'one', writer: 'one', open: '', other: 'two' };
  tokens.useConfigured(new Map(Object.entries(profiles)));
  expect(['one', '', 'two'].map((secret) => tokens.find(secret)?.profile)).toEqual([
    undefined,
    undefined,
    'other',
  ]);
});

test('a session of a browser that expires is announced like one that was revoked, once', async () => {
  const clock = fakeClock(Date.parse('2026-01-01'));
  const tokens = createTokens([], { clock, now: () => clock.now() });
  const revoked: string[] = [];
  tokens.onRevoked(({ name }) => revoked.push(name));
  const { token } = await tokens.createConsole();
  clock.advance(30 * 24 * 3600_000 - 1);
  expect(revoked).toEqual([]);
  clock.advance(1);
  expect(revoked).toEqual([token.name]);
  await tokens.list();
  clock.advance(24 * 3600_000);
  expect([revoked, clock.waiting]).toEqual([[token.name], 0]);
});

test('after a failed read no token of the file is accepted, until a retry succeeds', async () => {
  const clock = fakeClock();
  const memory = tokensInMemory();
  let changed = () => {};
  let failures = 0;
  let reads = 0;
  const keeper = {
    ...memory,
    read: () => {
      reads += 1;
      return failures-- > 0 ? Promise.reject(new Error('EMFILE')) : memory.read();
    },
    watch: (listener: () => void) => {
      changed = listener;
      return () => {};
    },
  };
  const [here, there] = [new Tokens(keeper, { clock }), new Tokens(memory)];
  const [laptop, phone] = await Promise.all(
    ['laptop', 'phone'].map((name) => there.create({ name, purpose: 'mcp' })),
  );
  await here.follow();
  onTestFinished(() => here.close());
  here.useConfigured(new Map([['reader', 'configured']]));
  const found = () =>
    [laptop?.secret, phone?.secret, 'configured'].map((secret) => here.find(secret ?? '')?.name);
  expect(found()).toEqual(['laptop', 'phone', 'profile:reader']);
  const revoked: string[] = [];
  here.onRevoked(({ name }) => revoked.push(name));
  failures = 3;
  await there.revoke('laptop');
  changed();
  await expect.poll(found).toEqual([undefined, undefined, 'profile:reader']);
  const before = reads;
  clock.advance(100);
  await expect.poll(() => reads).toBe(before + 1);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(199);
  expect(reads).toBe(before + 1);
  clock.advance(1);
  await expect.poll(() => reads).toBe(before + 2);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(400);
  await expect.poll(found).toEqual([undefined, 'phone', 'profile:reader']);
  expect(revoked).toEqual(['laptop']);
});

test('a browser is let in for 30 days', async () => {
  let now = Date.parse('2026-01-01');
  const tokens = createTokens([], { now: () => now });
  const { token, secret } = await tokens.createConsole();
  expect(token).toMatchObject({
    purpose: 'console',
    name: expect.stringMatching(/^console:[\da-f]{8}$/) as string,
  });
  now += 29 * 24 * 3600_000;
  expect(tokens.find(secret)).toEqual(token);
  now += 24 * 3600_000;
  expect([tokens.find(secret), await tokens.list()]).toEqual([undefined, []]);
});

describe('the file', () => {
  test('of earlier versions has no ids: they are made of the hashes, and stay', async () => {
    const folder = temporaryFolder();
    const secrets: string[] = [];
    for (const name of ['laptop', 'phone'])
      secrets.push((await openTokens(folder).create({ name, purpose: 'mcp' })).secret);
    const file = path.join(folder, FILE);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(/"id":"[^"]+",/g, ''));
    const ids = async () => (await openTokens(folder).list()).map(({ id }) => id);
    const [laptop, phone] = await ids();
    expect([laptop, phone]).toEqual([
      expect.stringMatching(/^[\w-]{16}$/),
      expect.stringMatching(/^[\w-]{16}$/),
    ]);
    expect(laptop).not.toBe(phone);
    await openTokens(folder).create({ name: 'third', purpose: 'mcp' });
    expect((await ids()).slice(0, 2)).toEqual([laptop, phone]);
  });

  test('holds hashes, for the user alone', async () => {
    const folder = temporaryFolder();
    const tokens = openTokens(folder);
    const { secret } = await tokens.create({ name: 'laptop', purpose: 'api' });
    const { secret: cookie } = await tokens.createConsole();
    const text = fs.readFileSync(path.join(folder, FILE), 'utf8');
    expect([text.includes(secret), text.includes(cookie)]).toEqual([false, false]);
    expect(fs.statSync(path.join(folder, FILE)).mode & 0o777).toBe(0o600);
  });

  test('is followed: what another process revokes is refused, and what it makes is accepted', async () => {
    const folder = temporaryFolder();
    const [here, there] = [openTokens(folder), openTokens(folder)];
    const { secret } = await there.create({ name: 'laptop', purpose: 'mcp' });
    await here.follow();
    onTestFinished(() => here.close());
    expect(here.find(secret)?.name).toBe('laptop');
    const revoked = new Promise<string>((resolve) => here.onRevoked(({ name }) => resolve(name)));
    await there.revoke('laptop');
    expect(await revoked).toBe('laptop');
    expect(here.find(secret)).toBeUndefined();
    const { secret: another } = await there.create({ name: 'phone', purpose: 'mcp' });
    await expect.poll(() => here.find(another)?.name).toBe('phone');
  });

  test('is followed where the folder gives no events, as on network file systems', async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const state = path.join(temporaryFolder(), 'state');
    fs.symlinkSync(first, state);
    const { secret } = await openTokens(first).create({ name: 'laptop', purpose: 'mcp' });
    const here = openTokens(state);
    await here.follow();
    onTestFinished(() => here.close());
    expect(here.find(secret)?.name).toBe('laptop');
    const revoked = new Promise<string>((resolve) => here.onRevoked(({ name }) => resolve(name)));
    // Nothing happens in the folder that is watched.
    await openTokens(second).create({ name: 'phone', purpose: 'mcp' });
    fs.symlinkSync(second, `${state}-next`);
    fs.renameSync(`${state}-next`, state);
    expect(await revoked).toBe('laptop');
    expect(here.find(secret)).toBeUndefined();
  });

  test('has the last use, also of what several processes saw', async () => {
    const folder = temporaryFolder();
    const [here, there] = [openTokens(folder), openTokens(folder)];
    const { secret } = await here.create({ name: 'laptop', purpose: 'mcp' });
    expect((await there.list())[0]).not.toHaveProperty('lastUsedAt');
    here.find(secret);
    await here.close();
    expect((await there.list())[0]).toHaveProperty('lastUsedAt');
    expect(await there.revoke('laptop')).toBe(true);
    here.find(secret);
    // A last use is nothing that brings it back.
    await here.close();
    expect(await there.list()).toEqual([]);
  });

  test('takes over the token of before, unless others could read it', async () => {
    const token = 'x'.repeat(43);
    const folder = temporaryFolder({ 'http-token': `${token}\n` });
    const old = path.join(folder, 'http-token');
    fs.chmodSync(old, 0o600);
    expect(await openTokens(folder).ensureDefault()).toBe(token);
    expect(fs.existsSync(old)).toBe(false);
    const open = temporaryFolder({ 'http-token': `${token}\n` });
    fs.chmodSync(path.join(open, 'http-token'), 0o644);
    expect(await openTokens(open).ensureDefault()).not.toBe(token);
  });

  test.each([
    ['{', 'is damaged'],
    ['{ "version": 1, "tokens": [{ "name": "x" }] }', 'is damaged'],
    ['{ "version": 2, "tokens": [] }', 'is damaged'],
  ])('that says %s accepts no token', async (text, why) => {
    const folder = temporaryFolder({ [FILE]: text });
    fs.chmodSync(path.join(folder, FILE), 0o600);
    await expect(openTokens(folder).list()).rejects.toThrow(why);
    await expect(openTokens(folder).create({ name: 'x', purpose: 'mcp' })).rejects.toThrow(why);
  });

  test('that others may look into is not used', async () => {
    const folder = temporaryFolder();
    await openTokens(folder).create({ name: 'x', purpose: 'mcp' });
    fs.chmodSync(path.join(folder, FILE), 0o640);
    await expect(openTokens(folder).follow()).rejects.toThrow('chmod 600');
  });

  test('that others may write is not changed, and the error has the command that fixes it', async () => {
    const folder = temporaryFolder();
    await openTokens(folder).create({ name: 'x', purpose: 'mcp' });
    const file = path.join(folder, FILE);
    fs.chmodSync(file, 0o666);
    await expect(openTokens(folder).revoke('x')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `Access tokens cannot be used: other users may open ${file} (mode 666). Run: chmod 600 ${file}`,
    });
    fs.chmodSync(file, 0o600);
    expect(await openTokens(folder).revoke('x')).toBe(true);
  });
});
