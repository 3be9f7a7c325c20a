import { expect, it, test } from 'vitest';
import { partsOf } from './secret-parts.ts';

it('is all of a value, without the blanks around it', () => {
  expect(partsOf(' hunter2\n')).toEqual(['hunter2']);
});

it('is each long line of a key', () => {
  const key =
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort\n-----END PRIVATE KEY-----';
  expect(partsOf(key)).toEqual([key, 'MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB']);
});

it('is each line, short ones too, but for names and words as any other', () => {
  const lines = ['birch 12 kettle', 'sorrel-7-lamp', 'admin', 'Zm9vYmFyMTI='];
  expect(partsOf(lines.join('\r\n'))).toEqual([lines.join('\r\n'), lines[0], lines[1], lines[3]]);
  const yaml =
    'kind: Config\nusers:\n- name: ann\n  token: tok-of-ann\n  server: example.com/api/v1\n# comment\n[main]';
  expect(partsOf(yaml)).toEqual([yaml, 'token: tok-of-ann', 'tok-of-ann', 'server: example.com/api/v1']);
});

it('is each line of a key that has no ends of lines, or stands in a file of JSON', () => {
  const key = String.raw`-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEF\r\nAASCBKcwggSjAgEAAoIB\n-----END PRIVATE KEY-----`;
  expect(partsOf(key)).toEqual([key, 'MIIEvQIBADANBgkqhkiG9w0B', 'AASCBKcwggSjAgEAAoIB']);
  const inFile = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----';
  expect(partsOf(JSON.stringify({ private_key: inFile }))).toContain('MIIEvQIBADANBgkqhkiG9w0B');
  expect(partsOf(String.raw`C:\new\notes\node`)).toEqual([String.raw`C:\new\notes\node`]);
});

it('is what has the name of a secret in a file of JSON', () => {
  const file = '{"type":"account","list":[{"client_secret":"abc-def"}],"token_uri":"true"}';
  expect(partsOf(file)).toEqual([file, 'abc-def']);
  expect(partsOf('{no json')).toEqual(['{no json']);
});

it('is what has the name of a secret in a line of JSON', () => {
  const lines = [
    'kind: log',
    '{"user":"ann","client_secret":"cs-9f8e7d6c5b"}',
    '{"list":[{"token":"tok-of-ann"}]},',
    String.raw`{"private_key":"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----"}`,
    '{no json at all',
  ];
  const parts = partsOf(lines.join('\n'));
  for (const part of ['cs-9f8e7d6c5b', 'tok-of-ann', 'MIIEvQIBADANBgkqhkiG9w0B', ...lines.slice(1, 3)])
    expect(parts).toContain(part);
  expect(parts).not.toContain('ann');
});

it('is the password in an address, unless it is a word as any other', () => {
  const address = 'postgresql+asyncpg://app:Hunter2%21Secret@db/x';
  expect(partsOf(address)).toEqual([address, 'Hunter2%21Secret', 'Hunter2!Secret']);
  expect(partsOf('postgres://postgres:postgres@db/x')).toEqual(['postgres://postgres:postgres@db/x']);
});

it('is a token without the word before it', () => {
  expect(partsOf('{"authorization":"Bearer tok_of_ann"}')).toContain('tok_of_ann');
});
test.each<[string, string]>([
  ['a setting', 'A=1\nAPI_TOKEN=%s\n'],
  ['an export', 'A=1\nexport API_TOKEN=%s\n'],
  ['double quotes', 'A=1\nAPI_TOKEN="%s"\n'],
  ['single quotes', "A=1\nAPI_TOKEN='%s'\n"],
  ['an export in quotes', 'A=1\nexport API_TOKEN="%s"\n'],
  ['an INI file', '[default]\napi_token = %s\n'],
  ['YAML', 'a: 1\ntoken: %s\n'],
  ['quotes in YAML', 'a: 1\ntoken: "%s"\n'],
  ['nested YAML', 'a:\n    client_secret: %s\n'],
  ['a list in YAML', '- password: %s\n- a: 1\n'],
  ['a flow mapping in YAML', 'a: 1\ndb: {password: %s, user: ann}\n'],
  ['YAML by name and value', 'env:\n- name: API_TOKEN\n  value: %s\n'],
  ['an address', 'x\nhttps://user:%s@example.com/x\n'],
  ['an address in a setting', 'A=1\nURL=postgres://u:%s@h/db\n'],
  ['an address in YAML', 'a: 1\nurl: https://u:%s@h/db\n'],
  ['an address in quotes', 'A=1\nDATABASE_URL="postgres://u:%s@h/db"\n'],
  ['one address', 'postgres://u:%s@h/db'],
  ['one setting', 'API_TOKEN="%s"'],
  ['netrc', 'machine h\nlogin u\npassword %s\n'],
  ['netrc in one line', 'machine h login u password %s\nmachine g login v password abc\n'],
  ['npmrc', 'a=b\n//registry.npmjs.org/:_authToken=%s\n'],
  ['a header', 'X: 1\nAuthorization: Bearer %s\n'],
  ['an AWS profile', '[default]\naws_access_key_id = AKIAXXXX\naws_secret_access_key = %s\n'],
  ['a comment behind it', 'A=1\nAPI_TOKEN=%s # mine\n'],
  ['a comment of INI behind it', 'A=1\nAPI_TOKEN=%s ; mine\n'],
  ['a semicolon behind it', 'A=1\nAPI_TOKEN=%s;\n'],
  ['a comment before it', 'A=1\n# API_TOKEN=%s\n'],
  ['TOML', '[a]\npassword = "%s" # mine\n'],
  ['a table of TOML', '[a]\ndb = { user = "u", password = "%s" }\n'],
  ['a line of JSON', 'x\n{"client_secret":"%s"}\n'],
  ['ends of lines of Windows', 'A=1\r\nAPI_TOKEN="%s"\r\n'],
  ['XML', '<a>\n<password>%s</password>\n</a>\n'],
  ['attributes of XML', '<a>\n<add key="ApiToken" value="%s"/>\n</a>\n'],
  ['properties', 'a=1\ndb.password=%s\n'],
  ['cmd', '@echo off\nset API_TOKEN=%s\n'],
  ['PowerShell', '# x\n$env:API_TOKEN = "%s"\n'],
  ['fish', 'a\nset -x API_TOKEN %s\n'],
  ['fish with quotes', 'a\nset -gx API_TOKEN "%s"\n'],
  ['JSON with comments', '{\n // c\n "client_secret": "%s",\n}\n'],
  ['code', 'x\nconst config = { apiKey: \'%s\', user: "ann" };\n'],
  ['a connection string', 'A=1\nDB=Server=h;Password=%s;User=u\n'],
  ['settings in one line', 'x\nhost=h password=%s user=ann\n'],
  ['pgpass', '# x\nlocalhost:5432:db:ann:%s\n'],
  ['a file of logins', 'ann:%s\nbob:x\n'],
  ['line 250', `${'L=v\n'.repeat(250)}API_TOKEN="%s"\n`],
  ['behind 250 long lines', `${'SETTING=some longer value\n'.repeat(250)}API_TOKEN="%s"\n`],
])('is the secret alone in a file with %s', (_, file) => {
  const secret = 'tok-07-abc-xyz';
  expect(partsOf(file.replace('%s', secret))).toContain(secret);
});

it('is not what stands beside a name of secrets in prose', () => {
  const parts = partsOf('# The password of Ann expires in spring.\nuser = ann-of-berlin\nkeys: 2\n');
  for (const word of ['expires', 'password', 'ann-of-berlin']) expect(parts).not.toContain(word);
});

it('is found in linear time', () => {
  const start = performance.now();
  for (const text of [
    'token=',
    'token ',
    '<password>',
    'a://',
    'password:"',
    "key='\\",
    'name: token value: ',
  ])
    partsOf(`x\n${text.repeat(100_000)}`);
  expect(performance.now() - start).toBeLessThan(2000);
});
