import { expect, test } from 'vitest';
import type { PluginEntry } from './config-file.ts';
import { maskedEntry, secretsIn } from './secrets.ts';

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
});

test.for(['?', '&', '?a', '${', '${a:-', '--', 'a=', '://', '://a:'])(
  'many %o are looked through in linear time',
  (part) => {
    const text = part.repeat(200_000);
    const entry = { url: `https://x/${text}`, args: [text, text], env: { A: text }, config: { a: text } };
    expect(maskedEntry(entry)).toMatchObject({ args: [expect.anything(), expect.anything()] });
  },
);
