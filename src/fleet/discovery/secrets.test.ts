import { expect, test } from 'vitest';
import type { PluginEntry } from './config-file.ts';
import { maskedEntry, secretsIn, secretsWritten } from './secrets.ts';

test.for<[PluginEntry, string[]]>([
  [{ env: { GITHUB_TOKEN: 'x', LOG_LEVEL: 'verbose' } }, ['env.GITHUB_TOKEN']],
  [{ env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', API_KEY: '${env:KEY}', AUTH: 'true' } }, []],
  [{ env: { ANYTHING: 'ghp_0123456789' } }, ['env.ANYTHING']],
  [{ env: { DATABASE: 'postgres://ann:pass@host/db' } }, ['env.DATABASE']],
  [{ env: { ID: '0123456789abcdef0123456789abcdef' } }, ['env.ID']],
  [{ headers: { Authorization: 'Bearer abc', Accept: 'text/html' } }, ['headers.Authorization']],
  [{ headers: { Authorization: 'Bearer ${TOKEN}' } }, []],
  [{ args: ['--token', 'abc', '--level', 'high'] }, ['args[1]']],
  [{ args: ['--api-key=abc', '--api-key=${KEY}', 'sk-123'] }, ['args[0]', 'args[2]']],
  [{ args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ann/some/where/long/enough/1'] }, []],
  [{ args: ['--token', '--other'] }, []],
  [{ url: 'https://ann:pass@host/mcp' }, ['url']],
  [{ url: 'https://host/mcp?api_key=abc&page=2' }, ['url']],
  [{ url: 'https://host/mcp?page=2' }, []],
  [{ config: { db: { password: 'abc', host: 'x' } } }, ['config']],
  [{ config: { paths: ['/a'] } }, []],
  [{ url: 'https://host', oauth: { clientId: 'me', clientSecret: 'abc' } }, ['oauth.clientSecret']],
  [{ url: 'https://host', oauth: { clientId: 'me', clientSecret: '${env:SECRET}' } }, []],
])('%j has %j', ([entry, expected]) => {
  expect(secretsIn(entry)).toEqual(expected);
});

const azure =
  'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=aGVsbG8gd29ybGQ=;BlobEndpoint=https://b/';

test.for<[PluginEntry, string[]]>([
  [{ env: { DATABASE_URL: 'postgresql+asyncpg://app:Hunter2Secret@db/x' } }, ['Hunter2Secret']],
  [{ env: { DATABASE_URL: 'jdbc:postgresql://app:Hunter2@Secret@db/x' } }, ['Hunter2@Secret']],
  [{ env: { STORE_CONNECTION_STRING: azure } }, ['aGVsbG8gd29ybGQ=']],
  [{ env: { DB_DSN: "host=db password='hunter2-pw'" } }, ["host=db password='hunter2-pw'", 'hunter2-pw']],
  [{ env: { SENTRY_DSN: 'https://0123abcd@o1.example.com/2' } }, ['0123abcd']],
  [{ env: { STRIPE_SECRET: 'https://abc_4567:@api.example.com/v1' } }, ['abc_4567']],
  [{ env: { HOOK_SECRET: 'https://example.com/hooks/T0/B1' } }, ['https://example.com/hooks/T0/B1']],
  [{ env: { AUTH_URL: 'https://login.example.com' } }, []],
  [{ env: { DB_DSN: 'postgres://app:${env:PASSWORD}@db/x' } }, []],
  [{ args: ['--dsn', 'https://0123abcd@o1.example.com/2'] }, ['0123abcd']],
  [{ url: 'https://host/mcp?api_key=abc%21defg' }, ['abc%21defg', 'abc!defg']],
  [{ config: { authorization: 'Bearer tok_of_ann' } }, ['tok_of_ann']],
  [{ config: { db: { dsn: 'postgresql+asyncpg://app:Hunter2Secret@db/x' } } }, ['Hunter2Secret']],
])('of %j nobody sees %j', ([entry, expected]) => {
  expect(secretsWritten(entry)).toEqual(expected);
});

test('what may be a secret is not shown', () => {
  const entry: PluginEntry = {
    command: 'server',
    args: ['--token', 'hidden-1', '--api-key=hidden-2', '/data', 'key=hidden-3', 'postgres://a:hidden-4@h/d'],
    env: { TOKEN: 'hidden-5', PORT: '8080', NAME: 'hidden-6', REFERENCE: '${env:X}' },
    config: { depth: 3, password: 'hidden-7', tokens: ['hidden-8'] },
    limits: { callMs: 5 },
    oauth: { clientId: 'me', clientSecret: 'hidden-9' },
  };
  expect(maskedEntry(entry)).toEqual({
    oauth: { clientId: 'me', clientSecret: '***' },
    command: 'server',
    args: ['--token', '***', '--api-key=***', '/data', 'key=***', '***'],
    env: { TOKEN: '***', PORT: '8080', NAME: '***', REFERENCE: '${env:X}' },
    config: { depth: 3, password: '***', tokens: ['***'] },
    limits: { callMs: 5 },
  });
  const remote: PluginEntry = {
    url: 'https://a:hidden@h/?token=hidden&page=2',
    headers: { 'X-Key': 'hidden', Authorization: 'Bearer ${T}' },
  };
  expect(maskedEntry(remote)).toEqual({
    url: 'https://***@h/?token=***&page=2',
    headers: { 'X-Key': '***', Authorization: 'Bearer ${T}' },
  });
  expect(maskedEntry({ url: 'git+https://a:hid@den@h/' })).toEqual({ url: 'git+https://***@h/' });
});

test.for(['?', '&', '?a', '${', '${a:-', '--', 'a=', '://', '://a:', ';', ';a=', ' a'])(
  'many %o are looked through in linear time',
  (part) => {
    const text = part.repeat(200_000);
    const entry = { url: `https://x/${text}`, args: [text, text], env: { A: text }, config: { a: text } };
    expect(maskedEntry(entry)).toMatchObject({ args: [expect.anything(), expect.anything()] });
    const begun = performance.now();
    for (const value of [text, `https://x/;${text}`]) secretsWritten({ env: { TOKEN: value } });
    expect(performance.now() - begun).toBeLessThan(5000);
  },
);
