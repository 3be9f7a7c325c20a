import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { maskedText } from '../../secrets/masked-text.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import { jsonRedactor, redactor } from './redact.ts';

const redact = redactor(createSecrets(['exact-value', 'a"b\nc', 'x/y z?']));

describe('secrets in command lines are masked', () => {
  test.each<[string, string]>([
    ['curl -u ann:hunter2 https://x', 'curl -u ann:*** https://x'],
    ['curl -uann:hunter2 https://x', 'curl -uann:*** https://x'],
    ['curl -sSu ann:1234 https://x', 'curl -sSu ann:*** https://x'],
    ["curl --user 'ann:two words' x", "curl --user 'ann:***' x"],
    ['curl --user=ann:hunter2 --proxy-user "bo:b" x', 'curl --user=ann:*** --proxy-user "bo:***" x'],
    ['/usr/bin/curl x -U p:q; ls -u a', '/usr/bin/curl x -U p:***; ls -u a'],
    ['mysql -h h -uroot -phunter2 -P 3306 db', 'mysql -h h -uroot -p*** -P 3306 db'],
    ["mysqldump -p'two words' db", 'mysqldump -p*** db'],
    ['mysql -p1234 db', 'mysql -p*** db'],
    ['sshpass -p hunter2 ssh -p 2222 ann@h', 'sshpass -p *** ssh -p 2222 ann@h'],
    ['sshpass -p "two words" ssh h', 'sshpass -p *** ssh h'],
    ['sshpass -p 1234 ssh h', 'sshpass -p *** ssh h'],
    ['sshpass -phunter2 ssh h', 'sshpass -p*** ssh h'],
    ["PGPASSWORD='two words' psql -U ann", 'PGPASSWORD=*** psql -U ann'],
    ['env SSHPASS=a,b;c MYSQL_PWD=d,e x', 'env SSHPASS=***;c MYSQL_PWD=*** x'],
    ['DB_PASS=a REDISCLI_AUTH=b DEPLOY_KEY=c ./run', 'DB_PASS=*** REDISCLI_AUTH=*** DEPLOY_KEY=*** ./run'],
    ["deploy --password 'two words' --token=a,b x", 'deploy --password *** --token=*** x'],
    ['redis-cli -a hunter2 ping', 'redis-cli -a *** ping'],
    ["sh -c 'curl -u ann:hunter2 x' && ls", "sh -c 'curl -u ann:*** x' && ls"],
    ['{"command":"mysql -phunter2 db"}', '{"command":"mysql -p*** db"}'],
    ['x=$(curl -u ann:hunter2 y)', 'x=$(curl -u ann:*** y)'],
  ])('%s', (line, expected) => {
    expect(redact(line)).toBe(expected);
    expect(maskedText(line)).toBe(expected);
    expect(redact({ command: line })).toEqual({ command: expected });
  });

  test.each<[Json, Json]>([
    [
      { command: 'curl', args: ['-u', 'ann:hunter2', 'x'] },
      { command: 'curl', args: ['-u', 'ann:***', 'x'] },
    ],
    [
      { args: ['-p', 'hunter2', 'ssh', '-p', '22'], command: 'sshpass' },
      { args: ['-p', '***', 'ssh', '-p', '22'], command: 'sshpass' },
    ],
    [
      ['mysql', '-phunter2'],
      ['mysql', '-p***'],
    ],
    [
      { command: 'env', args: ['PGPASSWORD=two words', 'psql'] },
      { command: 'env', args: ['PGPASSWORD=***', 'psql'] },
    ],
    [
      ['--password', 'two words', '--level', '3'],
      ['--password', '***', '--level', '3'],
    ],
  ])('word by word: %j', (value, expected) => {
    expect(redact(value)).toEqual(expected);
  });

  test.each<Json>([
    'mkdir -p a/b && ssh -p 22 h && cp -a x:y z',
    'docker run -u node:node -p 80:80 -u 1000:1000 x',
    'tool --user 1000:1000 -u root',
    'PATH=/x NODE_ENV=test LEVEL=3 make -u',
    'curl -sS https://x -o out',
    'psql -U ann -p 5432',
    'curl -u "$USER:$PASS" x; SSHPASS=$PW y',
    "it's -u and that's it",
    { command: 'mkdir', args: ['-p', 'a'] },
  ])('and nothing else: %j', (value) => {
    expect(redact(value)).toEqual(value);
  });

  test.each([
    'sshpass -p x;rm -rf y',
    'sshpass -p "$(rm -rf y)" ssh h',
    'mysql -p`rm -rf y` db',
    'curl -u a:$(rm -rf y) x',
    'curl -u "a:${x:-$(rm -rf y)}" x',
    'SSHPASS=<(rm -rf y) z',
    'PASSWORD=$(rm -rf y) z --token $(rm -rf y)',
    'PASSWORD=`rm -rf y` z',
    "sshpass -p $'a\\'b' ; rm -rf y; echo '",
    "sshpass $'\\'' 'a -p ' ;rm -rf y; 'b'",
    "sshpass 'a\nb -p ' ;rm -rf y; 'c'",
    "curl 'a\n -u x:' -o z rm -rf y 'c'",
    "echo # it's\nsshpass -p ' ;rm -rf y; '",
    'sshpass "$(echo "a b" -p \' ;rm -rf y; \')"',
    "cat <<E\n'\nE\nPGPASSWORD=' ;rm -rf y; '",
    'sshpass -p x|rm -rf y',
    'sshpass -p x&&rm -rf y',
  ])('and nothing that runs: %s', (line) => {
    expect(maskedText(line).split('rm -rf y')).toHaveLength(line.split('rm -rf y').length);
  });
});

describe('what looks like a secret is masked', () => {
  test.each<[Json, Json]>([
    [{ password: 'hunter2' }, { password: '***' }],
    [{ auth: { user: 'ann', list: ['b'] } }, { auth: { user: '***', list: ['***'] } }],
    [
      { apiKey: 123456789, token: 5, max_tokens: 4096000, pins_secret: [1234567], progressToken: 1234567 },
      { apiKey: '***', token: 5, max_tokens: 4096000, pins_secret: ['***'], progressToken: 1234567 },
    ],
    [
      { author: 'ann', key: 'abc' },
      { author: 'ann', key: '***' },
    ],
    [{ command: 'curl https://ann:pass@host/x' }, { command: 'curl https://***@host/x' }],
    ['Authorization: Bearer abcdefghijk', 'Authorization: Bearer ***'],
    ['deploy --api-key abc --level 3', 'deploy --api-key *** --level 3'],
    ['PASSWORD=abc ./run', 'PASSWORD=*** ./run'],
    ['{"token": "abc", "n": 1}', '{"token": "***", "n": 1}'],
    ['https://h/?access_token=abc&page=2', 'https://h/?access_token=***&page=2'],
    ['got ghp_0123456789abcdef0123', 'got ***'],
    ['AKIAIOSFODNN7EXAMPLE!', '***!'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def', '***'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b', 'a *** b'],
    ['cut -----BEGIN PRIVATE KEY-----\nMIIE', 'cut ***'],
    ['it is exact-value here', 'it is *** here'],
    [`json ${JSON.stringify('a"b\nc')}`, 'json "***"'],
    [`url ${encodeURIComponent('x/y z?')}`, 'url ***'],
    [`in base64 ${Buffer.from('exact-value').toString('base64')}`, 'in base64 ***='],
    [{ 'exact-value': 1 }, { '***': 1 }],
  ])('%j', (value, expected) => {
    expect(redact(value)).toEqual(expected);
  });

  test.each<Json>([
    'git status',
    'the token is expired',
    'https://example.org/a:b@c',
    { id: '9b2f6a1e-7c3d-4a5b-8c9d-0e1f2a3b4c5d', n: 3, ok: true, nothing: null },
    'risk-assessment of sk-1',
  ])('and nothing else: %j', (value) => {
    expect(redact(value)).toEqual(value);
  });

  test('whatever stands around an exact value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (before, after) => {
        const value = redactor(createSecrets(['s3cr3t-of-ann']))(`${before}s3cr3t-of-ann${after}`);
        expect(value).not.toContain('s3cr3t-of-ann');
      }),
    );
  });

  test('also at the place where a long text is cut', () => {
    for (let at = 1990; at < 2060; at++) {
      const text = `${'x '.repeat(at / 2)}exact-value ${'y '.repeat(3000)}`;
      expect(JSON.stringify(redact(text))).not.toContain('exact-v');
    }
  });
});

test('gives JSON of a bounded size, whatever comes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      const kept = redact(value as Json);
      expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
    }),
  );
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'z'.repeat(5000)]));
  for (const value of [
    wide,
    { a: Array.from({ length: 500 }, () => wide) },
    '\u0000'.repeat(1e6),
    [[[wide, wide, wide]]],
  ])
    expect(JSON.stringify(redact(value)).length).toBeLessThan(250_000);
});

test('the text of what has nothing to hide is what it would be if it were taken apart', () => {
  const secrets = createSecrets(['exact-value']);
  const [text, taken] = [jsonRedactor(secrets), redactor(secrets)];
  const all =
    '-p|-#u|\'-p\'|\\-p|-"p"|-u|a:b|mysql|sshpass|curl|exact-value|session|the session holds|sessionId|auth|DB_PASS=x|connection_string|token';
  const words = fc.constantFrom(...all.split('|'), 'progressToken', 'plain', 'x'.repeat(70));
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      words,
      fc.integer(),
      fc.array(words, { maxLength: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(words, fc.constantFrom('command', 'args')), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (json) => {
      expect(text(json)).toBe(JSON.stringify(taken(json)));
    }),
    { numRuns: 2000 },
  );
  expect(text({ reason: 'the default of this session holds' })).toContain('session holds');
  expect(text('x'.repeat(3000)).length).toBeLessThan(2200);
});

test('keeps a key of the name __proto__ where it is', () => {
  const kept = redact(JSON.parse('{"__proto__":{"polluted":1}}') as Json);
  expect(JSON.stringify(kept)).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('takes no longer than the text is long', () => {
  const start = performance.now();
  for (const part of [
    'a',
    '-',
    'token',
    'password ',
    '://',
    ':// :',
    'eyJ',
    '-----BEGIN PRIVATE KEY-----',
    '"token":"',
    'curl -u ',
    ' -u a:',
    'X="',
    " -p'",
    'A=\\"',
    '"a \'',
    'PASS="\n',
    'bearer ',
  ])
    maskedText(part.repeat(200_000 / part.length));
  expect(performance.now() - start).toBeLessThan(10_000);
});
