import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { toError } from '../../../base/error.ts';
import type { RemoteSpec } from '../../../definition/plugin-spec.ts';
import { callAndHear, hostAndRemote } from '../../../../test/support/dialect/dialect-host.ts';
import {
  accessFor,
  oauthWorld,
  sayYes,
  type OAuthScript,
  type OAuthWorld,
} from '../../../../test/support/dialect/mcp/oauth-server.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { mcp } from '../host.ts';

interface Around {
  /** @default one who says yes */
  readonly openUrl?: ((url: string) => void | Promise<void>) | 'nobody';
  readonly folder?: string;
  readonly remote?: Partial<RemoteSpec>;
}

/** A host end on the way to a server, and all that became visible of it. */
function reach(
  world: { readonly url: string },
  { openUrl, folder = temporaryFolder(), remote }: Around = {},
) {
  const opened: string[] = [];
  const person = async (url: string) => {
    opened.push(url);
    await (openUrl === undefined || openUrl === 'nobody' ? sayYes(url) : openUrl(url));
  };
  const access = accessFor(folder, openUrl === 'nobody' ? undefined : person);
  const learned: string[] = [];
  const learn = (secrets: readonly string[]) => void learned.push(...secrets);
  const { connected, told } = hostAndRemote(mcp, { url: world.url, ...remote }, { work: { access, learn } });
  return { connected, told, opened, folder, access, learned };
}

async function failure(promise: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await promise;
  } catch (thrown) {
    return toError(thrown);
  }
  throw new Error('It did not fail.');
}

/** Nothing that a person or a file of logs gets to see holds a secret. */
function expectNoSecret(world: OAuthWorld, ...visible: unknown[]): void {
  const text = visible
    .map((one) => (one instanceof Error ? `${one.stack} ${String(one.cause)}` : JSON.stringify(one)))
    .join('\n');
  expect(world.secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

describe('the first time', () => {
  test('a person says yes, and the token goes with every request', async () => {
    const world = await oauthWorld();
    const { connected, told, opened, folder, learned } = reach(world);
    const end = await connected;
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(['open', 'secret']);
    expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ ok: true, text: 'tools' });

    const question = new URL(opened[0] ?? '').searchParams;
    expect(Object.fromEntries(question)).toMatchObject({
      response_type: 'code',
      client_id: 'client-1',
      code_challenge_method: 'S256',
      resource: world.url,
      scope: 'tools',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as unknown,
    });
    expect(question.get('state')?.length).toBeGreaterThanOrEqual(43);
    const token = world.asked.find(({ path }) => path === '/token')?.params;
    expect(token?.get('resource')).toBe(world.url);
    expect(token?.get('code_verifier')?.length).toBeGreaterThanOrEqual(43);
    expect(world.registrations).toMatchObject([
      { client_name: 'pluglot', redirect_uris: [question.get('redirect_uri')], application_type: 'native' },
    ]);
    expect(world.seen[0]).not.toHaveProperty('authorization');
    expect(
      world.seen.slice(1).every(({ authorization }) => authorization?.startsWith('Bearer access-')),
    ).toBe(true);
    expectNoSecret(world, told, end.manifest);

    const [file = ''] = fs.readdirSync(folder);
    expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    const kept = fs.readFileSync(path.join(folder, file), 'utf8');
    expect(kept).toContain(world.secrets.at(-1));
    const { tokens } = JSON.parse(kept) as { tokens: { access: string; refresh: string } };
    expect(learned).toEqual(expect.arrayContaining([tokens.access, tokens.refresh]));
  });

  test('what waited for the browser is gone afterwards', async () => {
    const world = await oauthWorld();
    const { connected, opened } = reach(world);
    await connected;
    const back = new URL(opened[0] ?? '').searchParams.get('redirect_uri') ?? '';
    await expect(fetch(`${back}?code=1&state=2`)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['metadata of OpenID', { isOpenId: true }],
    ['a place of its own for metadata, unnamed', { challenge: () => undefined }],
  ] satisfies [string, OAuthScript][])('a server with %s', async (_, script) => {
    const world = await oauthWorld(script);
    expect((await reach(world).connected).manifest.tools).toHaveLength(2);
  });

  test('a server without metadata of its own is its own authorisation server, as in 2025-03-26', async () => {
    const world = await oauthWorld({ isOwnIssuer: true });
    const { connected, opened } = reach(world);
    expect((await connected).manifest.tools).toHaveLength(2);
    expect(new URL(opened[0] ?? '').origin).toBe(new URL(world.url).origin);
    expect(new URL(opened[0] ?? '').searchParams.get('resource')).toBe(world.url);
  });

  test('with a client that is configured nobody is registered, and its secret goes to its authorisation server alone', async () => {
    const client = { id: 'me', secret: 'hunter2' };
    const world = await oauthWorld({ client });
    const oauth = { clientId: 'me', clientSecret: 'hunter2', scope: 'tools extra', issuer: world.issuer };
    const { connected, opened, folder } = reach(world, { remote: { oauth } });
    const end = await connected;
    expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ text: 'tools extra' });
    expect(world.registrations).toEqual([]);
    expect(new URL(opened[0] ?? '').searchParams.get('client_id')).toBe('me');
    expect(opened[0]).not.toContain('hunter2');
    const kept = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), 'utf8'));
    expect(kept.join()).not.toContain('hunter2');
    expect(
      world.asked.filter(({ headers }) => headers.authorization !== undefined).map(({ path: one }) => one),
    ).toEqual(['/token']);
  });

  test('two at once share one question', async () => {
    const world = await oauthWorld();
    const first = reach(world);
    const second = hostAndRemote(mcp, { url: world.url }, { work: { access: first.access } });
    await Promise.all([first.connected, second.connected]);
    expect(first.opened).toHaveLength(1);
    expect(world.registrations).toHaveLength(1);
  });

  test('the limits of all that wait for one answer stand still', async () => {
    const world = await oauthWorld();
    const deciding = new Set<string>();
    const work = (who: string) => ({
      access,
      personDecides: () => {
        deciding.add(who);
        return () => void deciding.delete(who);
      },
    });
    let seen: string[] = [];
    const access = accessFor(temporaryFolder(), async (url) => {
      await expect.poll(() => deciding.size, { timeout: 20_000 }).toBe(2);
      seen = [...deciding];
      await sayYes(url);
    });
    const both = ['a', 'b'].map((who) => hostAndRemote(mcp, { url: world.url }, { work: work(who) }));
    await Promise.all(both.map(({ connected }) => connected));
    expect(seen.toSorted()).toEqual(['a', 'b']);
    expect(deciding.size).toBe(0);
  });

  test('headers of the settings win', async () => {
    const world = await oauthWorld();
    const { connected, opened } = reach(world, { remote: { headers: { authorization: 'Bearer mine' } } });
    expect(await failure(connected)).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(opened).toEqual([]);
    expect(world.asked).toEqual([]);
    expect(world.seen.map(({ authorization }) => authorization)).toEqual(['Bearer mine']);
  });

  test('headers of the settings go to the server and to nobody else', async () => {
    const world = await oauthWorld();
    await reach(world, { remote: { headers: { 'X-Key': 'hunter2' } } }).connected;
    expect(world.seen.every((headers) => headers['x-key'] === 'hunter2')).toBe(true);
    expect(world.asked.some(({ headers }) => 'x-key' in headers)).toBe(false);
  });
});

describe('later', () => {
  async function authorised(script?: OAuthScript) {
    const world = await oauthWorld(script);
    const { connected, folder } = reach(world);
    return { world, folder, end: await connected };
  }

  test('nobody is asked again', async () => {
    const { world, folder } = await authorised();
    await reach(world, { folder, openUrl: 'nobody' }).connected;
    expect(world.count('/authorize')).toBe(1);
  });

  test('a token that has expired is renewed in the middle of a call, once for all calls', async () => {
    const { world, end } = await authorised();
    world.expireAccess();
    const calls = [1, 2, 3].map(() => callAndHear(end, { tool: 'open' }).answer);
    expect(await Promise.all(calls)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    expect(world.count('/token')).toBe(2);
    expect(world.count('/authorize')).toBe(1);
  });

  test('the refresh token rotates', async () => {
    const { world, end, folder } = await authorised();
    for (let round = 0; round < 3; round += 1) {
      world.expireAccess();
      expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ ok: true });
    }
    const sent = world.asked.map(({ params }) => params.get('refresh_token')).filter((one) => one !== null);
    expect(new Set(sent).size).toBe(3);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  test('two hosts that share a safe renew it once', async () => {
    const { world, end, folder } = await authorised();
    const other = await reach(world, { folder }).connected;
    world.expireAccess();
    const calls = [end, other].map((one) => callAndHear(one, { tool: 'open' }).answer);
    expect(await Promise.all(calls)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(world.count('/token')).toBe(2);
  });

  test('a person is asked again when the refresh token has expired too, and as the same client', async () => {
    const { world, end } = await authorised();
    world.expireAccess();
    world.expireRefresh();
    expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ ok: true });
    expect(world.count('/authorize')).toBe(2);
    expect(world.registrations).toHaveLength(1);
  });

  test('a client that was forgotten is registered anew', async () => {
    const { world, end } = await authorised();
    world.expireAccess();
    world.forgetClients();
    expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ ok: true });
    expect(world.registrations).toHaveLength(2);
  });

  test('without a person an expired refresh token says what to do', async () => {
    const { world, folder } = await authorised();
    world.expireAccess();
    world.expireRefresh();
    const { connected, told } = reach(world, { folder, openUrl: 'nobody' });
    const error = await failure(connected);
    expect(error).toMatchObject({
      code: 'UNAUTHENTICATED',
      message:
        'Plugin "the-plugin" cannot be authorised: it wants to know who asks (HTTP 401), and no one is here to agree to it. Do it with: pluglot run mcp connect the-plugin. Or put a token into "headers".',
    });
    expectNoSecret(world, error, told);
  });

  test('an authorisation server that is out of order takes nothing away', async () => {
    let isBroken = false;
    const { world, end, folder } = await authorised({
      token: (_, usual) => (isBroken ? { status: 503, body: usual.body } : usual),
    });
    const before = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), 'utf8'));
    world.expireAccess();
    isBroken = true;
    const answer = await callAndHear(end, { tool: 'open' }).answer;
    expect(answer).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expectNoSecret(world, answer);
    expect(fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))).toEqual(
      before,
    );
    expect(world.count('/authorize')).toBe(1);
  });

  test('a goodbye asks nobody', async () => {
    const { world, end } = await authorised();
    world.expireAccess();
    world.expireRefresh();
    await end.shutdown(1000);
    expect(world.count('/authorize')).toBe(1);
  });
});

describe('more rights', () => {
  test('are asked for in the middle of the call that needs them, and what was there is kept', async () => {
    const world = await oauthWorld({ scopeOfSecret: 'admin' });
    const { connected, opened } = reach(world);
    const end = await connected;
    expect(await callAndHear(end, { tool: 'secret' }).answer).toMatchObject({
      ok: true,
      text: 'tools admin',
    });
    expect(opened.map((url) => new URL(url).searchParams.get('scope'))).toEqual(['tools', 'tools admin']);
    expect(await callAndHear(end, { tool: 'secret' }).answer).toMatchObject({ ok: true });
    expect(opened).toHaveLength(2);
  });

  test('that are not given are not asked for again and again', async () => {
    // It names a right that the token has, and does not let it in.
    const world = await oauthWorld({
      scopeOfSecret: 'admin',
      challenge: (usual) => usual.replace('"admin"', '"tools"'),
    });
    const { connected, opened } = reach(world);
    const end = await connected;
    const answer = await callAndHear(end, { tool: 'secret' }).answer;
    expect(answer).toMatchObject({ ok: false, error: { code: 'UNAUTHENTICATED', data: { status: 403 } } });
    expect(opened).toHaveLength(1);
  });

  test('that were wanted while nobody was there are asked for when somebody comes', async () => {
    const world = await oauthWorld({ scopeOfSecret: 'admin' });
    const { connected, folder } = reach(world);
    (await connected).close();
    const alone = await reach(world, { folder, openUrl: 'nobody' }).connected;
    expect(await callAndHear(alone, { tool: 'secret' }).answer).toMatchObject({
      ok: false,
      error: {
        code: 'UNAUTHENTICATED',
        message: expect.stringMatching(
          /more rights than it has \(admin\).*pluglot run mcp connect/,
        ) as unknown,
      },
    });
    const again = reach(world, { folder });
    expect(await callAndHear(await again.connected, { tool: 'secret' }).answer).toMatchObject({ ok: true });
    expect(again.opened).toHaveLength(1);
  });

  test('that were wanted before and are refused now leave what there was', async () => {
    const world = await oauthWorld({ scopeOfSecret: 'admin' });
    const { connected, folder } = reach(world);
    (await connected).close();
    const alone = await reach(world, { folder, openUrl: 'nobody' }).connected;
    await callAndHear(alone, { tool: 'secret' }).answer;
    const refusing = reach(world, {
      folder,
      async openUrl(url) {
        const { searchParams } = new URL(url);
        const back = searchParams.get('redirect_uri') ?? '';
        const state = searchParams.get('state') ?? '';
        const iss = encodeURIComponent(world.issuer);
        await fetch(`${back}?error=access_denied&state=${state}&iss=${iss}`);
      },
    });
    expect(await callAndHear(await refusing.connected, { tool: 'open' }).answer).toMatchObject({ ok: true });
    expect(refusing.opened).toHaveLength(1);
    expect(JSON.stringify(refusing.told.logs)).toContain('access was denied');
  });
});

describe('not with', () => {
  const elsewhere = 'https://elsewhere.example';
  test.each([
    ['an answer with another state', { redirect: set('state', 'x'.repeat(43)) }, /wrong state/],
    ['an answer without a state', { redirect: set('state', undefined) }, /wrong state/],
    [
      'an answer of another issuer',
      { redirect: set('iss', elsewhere) },
      /the answer came from "https:\/\/elsewhere\.example"/,
    ],
    [
      'an answer that leaves its issuer out',
      { redirect: set('iss', undefined) },
      /the answer came from nothing/,
    ],
    ['an answer without a code', { redirect: set('code', undefined) }, /without a code/],
    ['a no', { redirect: set('error', 'access_denied') }, /access was denied/],
    [
      'metadata of another issuer',
      { serverMetadata: (usual) => ({ ...usual, issuer: elsewhere }) },
      /says that it is "https:\/\/elsewhere\.example"/,
    ],
    [
      'metadata about another server',
      { resourceMetadata: (usual) => ({ ...usual, resource: `${elsewhere}/mcp` }) },
      /which is another server/,
    ],
    [
      'metadata at another server',
      { challenge: () => `Bearer resource_metadata="${elsewhere}/x"` },
      /another server/,
    ],
    [
      'an authorisation server without TLS',
      { resourceMetadata: (usual) => ({ ...usual, authorization_servers: ['http://elsewhere.example'] }) },
      /not an https address/,
    ],
    [
      'a token endpoint without TLS',
      { serverMetadata: (usual) => ({ ...usual, token_endpoint: 'http://elsewhere.example/t' }) },
      /not an https address/,
    ],
    [
      'an authorisation server without PKCE',
      { serverMetadata: (usual) => ({ ...usual, code_challenge_methods_supported: undefined }) },
      /PKCE/,
    ],
    [
      'a registration that is refused',
      { registration: () => undefined },
      /refused to register pluglot \(HTTP 400\)/,
    ],
    [
      'nobody to register with',
      { serverMetadata: (usual) => ({ ...usual, registration_endpoint: undefined }) },
      /"clientId"/,
    ],
    [
      'a token of another kind',
      { token: (_, { body }) => ({ status: 200, body: { ...(body as object), token_type: 'mac' } }) },
      /not a bearer token/,
    ],
    [
      'a token that breaks the header',
      { token: (_, { body }) => ({ status: 200, body: { ...(body as object), access_token: 'a\nb' } }) },
      /not a bearer token/,
    ],
    [
      'a token answer that is none',
      { token: (_, { body }) => ({ status: 200, body: { ...(body as object), access_token: 7 } }) },
      /what OAuth does not allow/,
    ],
    [
      'a refusal that quotes the code',
      {
        token: (asked) => ({
          status: 400,
          body: { error: 'invalid_grant', error_description: `no ${asked.get('code')}` },
        }),
      },
      /invalid_grant: no \*\*\*/,
    ],
    [
      'nobody who says anything of tokens',
      { resourceMetadata: () => undefined, challenge: () => undefined },
      /does not say who gives tokens/,
    ],
  ] satisfies [string, OAuthScript, RegExp][])('%s', async (_, script, words) => {
    const world = await oauthWorld(script);
    const { connected, told, folder } = reach(world);
    const error = await failure(connected);
    expect(error.message).toMatch(words);
    expect(error.code).toBe('UNAUTHENTICATED');
    expectNoSecret(world, error, told);
    const kept = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), 'utf8'));
    expect(kept.join()).not.toContain('access-');
  });

  test('another authorisation server than the configured one', async () => {
    const world = await oauthWorld();
    const { connected } = reach(world, { remote: { oauth: { issuer: elsewhere } } });
    expect((await failure(connected)).message).toContain('oauth.issuer');
  });

  test('what one authorisation server gave is not shown to the next', async () => {
    const named: string[] = [];
    const world = await oauthWorld({
      resourceMetadata: (usual) => (named.length === 0 ? usual : { ...usual, authorization_servers: named }),
    });
    const { connected, folder } = reach(world);
    (await connected).close();
    world.expireAccess();
    const other = await oauthWorld();
    named.push(other.issuer);
    const again = reach(world, { folder });
    // The server takes none of the tokens of the other, but that is not the point.
    expect((await failure(again.connected)).code).toBe('UNAUTHENTICATED');
    expect(other.asked.some(({ params }) => params.has('refresh_token'))).toBe(false);
    expect(other.registrations).toHaveLength(1);
  });

  test('plain http to another machine', async () => {
    const world = await oauthWorld();
    const access = accessFor(temporaryFolder(), () => {});
    const { findAuthorisationServer } = await import('./authorisation-server.ts');
    const ports = { pluginName: 'p', url: new URL('http://elsewhere.example/mcp'), send: fetch, access };
    expect((await failure(findAuthorisationServer(ports, {}))).message).toContain('plain http');
    expect(world.asked).toEqual([]);
  });
});

describe('a person', () => {
  test('who never answers is waited for five minutes, and the registration is not used again', async () => {
    const world = await oauthWorld();
    const first = reach(world);
    (await first.connected).close();
    world.expireAccess();
    world.expireRefresh();
    const clock = fakeClock();
    let sent = () => {};
    const sending = new Promise<void>((resolve) => (sent = resolve));
    let decides = 0;
    const personDecides = () => {
      decides += 1;
      return () => void (decides -= 1);
    };
    const access = accessFor(first.folder, () => sent());
    const { connected } = hostAndRemote(mcp, { url: world.url }, { clock, work: { access, personDecides } });
    await sending;
    expect(decides).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5 * 60_000);
    expect((await failure(connected)).message).toContain('no one agreed within 5 minutes');
    expect(decides).toBe(0);
    expect(world.registrations).toHaveLength(1);
    await reach(world, { folder: first.folder }).connected;
    expect(world.registrations).toHaveLength(2);
  });

  test('who cannot be sent anywhere', async () => {
    const world = await oauthWorld();
    const { connected } = reach(world, {
      openUrl: () => Promise.reject(new Error('no browser')),
    });
    expect((await failure(connected)).message).toContain('no browser');
  });

  test('is not waited for when the start is given up', async () => {
    const world = await oauthWorld();
    const controller = new AbortController();
    let back = '';
    const access = accessFor(temporaryFolder(), (url) => {
      back = new URL(url).searchParams.get('redirect_uri') ?? '';
      controller.abort(new Error('enough'));
    });
    const { connected } = hostAndRemote(
      mcp,
      { url: world.url },
      { signal: controller.signal, work: { access } },
    );
    await failure(connected);
    await expect
      .poll(() =>
        fetch(back).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
  });
});

function set(name: string, value: string | undefined): (back: URL) => URL {
  return (back) => {
    if (value === undefined) back.searchParams.delete(name);
    else back.searchParams.set(name, value);
    return back;
  };
}
