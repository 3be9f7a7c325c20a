import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { createSecrets } from './secrets.ts';

/** `json_encode` */
const inPhp = (text: string) =>
  inAscii(
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  );
const inAscii = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, inUnicode);
const inUnicode = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

describe('values that are known', () => {
  const secret = 'pä"ss/wörd +1';
  const secrets = createSecrets(['hunter2-of-ann', secret]);
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);

  test.each<[string, string]>([
    ['as they are', secret],
    ['in JSON', escaped],
    ['in JSON of Python', escaped.replace('ä', '\\u00e4').replace('ö', '\\u00f6')],
    ['in JSON in JSON', JSON.stringify(escaped).slice(1, -1)],
    ['in JSON of PHP', inPhp(secret)],
    ['in JSON of PHP, in JSON', JSON.stringify(inPhp(secret)).slice(1, -1)],
    ['in JSON of PHP, in JSON of PHP', inPhp(inPhp(secret))],
    ['in JSON of PHP, in an address', encodeURIComponent(inPhp(secret))],
    ['in JSON of PHP, in HTML', inPhp(secret).replaceAll('"', '&quot;')],
    ['in an address in JSON of PHP', inPhp(encodeURI(secret))],
    ['in JSON, each character escaped', inUnicode(secret)],
    [
      'in JSON, each character escaped, in capitals',
      inUnicode(secret).toUpperCase().replaceAll('\\U', '\\u'),
    ],
    ['in JSON, each character escaped, in JSON', JSON.stringify(inUnicode(secret)).slice(1, -1)],
    ['in an address', encodeURIComponent(secret)],
    ['in an address, in small letters', encodeURIComponent(secret).toLowerCase()],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in an address as a whole', encodeURI(secret)],
    ['in the path of an address', encodeURIComponent(secret).replaceAll('%2F', '/')],
    ['in an address in an address', encodeURIComponent(encodeURIComponent(secret))],
    ['in an address in an address as a whole', encodeURI(encodeURI(secret))],
    ['in a form in an address', encodeURIComponent(encodeURIComponent(secret).replaceAll('%20', '+'))],
    ['in HTML', secret.replaceAll('"', '&quot;')],
    ['in HTML, in numbers', Array.from(secret, (sign) => `&#${sign.codePointAt(0)};`).join('')],
    [
      'in HTML, in hexadecimal',
      secret.replaceAll(/\W/g, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`),
    ],
    ['in HTML, by names', secret.replace('ä', '&auml;').replace('ö', '&ouml;').replace('"', '&quot;')],
    ['in HTML in HTML', secret.replaceAll('"', '&amp;quot;')],
    ['as Python prints it in ASCII', secret.replace('ä', '\\xe4').replace('ö', '\\xf6')],
    ['as Python prints its bytes', secret.replace('ä', '\\xc3\\xa4').replace('ö', '\\xc3\\xb6')],
    ['in base64', bytes.toString('base64').replace(/=+$/, '')],
    ['in base64 for addresses', bytes.toString('base64url')],
  ])('are masked %s', (_, form) => {
    expect(secrets.mask(`x ${form} y`)).toBe('x *** y');
    expect(secrets.mask(`${form}${form}`)).not.toContain(form);
  });

  test.each(["!Sup3r(Secret)*Value'9", 'My+Secret!with(paren)12', 'abc~def!ghi~jkl mnop'])(
    'are masked in addresses and forms as each library writes them: %s',
    (value) => {
      const known = createSecrets([value]);
      const strict = encodeURIComponent(value).replaceAll(
        /[!'()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16)}`,
      );
      const inForm = new URLSearchParams({ q: value }).toString();
      const lower = (text: string) => text.replaceAll(/%../g, (escape) => escape.toLowerCase());
      for (const text of [`q=${strict}`, inForm, lower(inForm), lower(`q=${strict}`)])
        expect(known.mask(`GET /?${text} done`)).toBe('GET /?q=*** done');
    },
  );

  test.each<[string, string[]]>([
    ["it's \\ 5 o'clock", ["it\\'s \\\\ 5 o\\'clock", "it's \\\\ 5 o'clock"]],
    ['tab\tand\u0001end', ['tab\\tand\\x01end']],
    ['smile 😀 €uro', ['smile \\U0001f600 \\u20acuro', 'smile \\xf0\\x9f\\x98\\x80 \\xe2\\x82\\xacuro']],
  ])('are masked as Python prints them, also in a log of JSON: %j', (value, printed) => {
    const known = createSecrets([value]);
    for (const form of printed) {
      expect(known.mask(`got '${form}'`)).toBe("got '***'");
      const log = JSON.stringify({ message: `got '${form}'` });
      expect(known.isClean(log)).toBe(false);
      expect(known.mask(log)).toBe(`{"message":"got '***'"}`);
    }
  });

  it('are masked behind escapes and nothing else with them, and no such text counts as clean', () => {
    const known = createSecrets(['top/secret&word']);
    const text = `https://example.com/a%20b?x=1&y=${encodeURIComponent('top/secret&word')}&z=%C3%A4#end`;
    expect(known.mask(text)).toBe('https://example.com/a%20b?x=1&y=***&z=%C3%A4#end');
    expect(known.isClean(JSON.stringify({ text }))).toBe(false);
    expect(known.isClean(JSON.stringify({ text: 'https://example.com/a%20b?x=1&y=2' }))).toBe(true);
    expect(known.maskJson({ html: '<p>top/secret&amp;word</p>' })).toEqual({ html: '<p>***</p>' });
  });

  it('are masked in HTML where they have something like an escape in them', () => {
    const known = createSecrets(['50%19<off>&lt;']);
    expect(known.mask('x 50%19&lt;off&gt;&amp;lt; y')).toBe('x *** y');
    expect(known.mask(`x ${encodeURIComponent('50%19<off>&lt;')} y`)).toBe('x *** y');
  });

  it('are masked in JSON whatever it escapes, with their own backslashes, and nothing else with them', () => {
    const value = 'C:\\new/<b>&R\u{1f600}';
    const known = createSecrets([value]);
    const ofGo = JSON.stringify(value).replaceAll(/[<>&]/g, inUnicode).slice(1, -1);
    for (const form of [inPhp(value), inUnicode(value), ofGo, inPhp(inPhp(value))]) {
      const text = `{"a":"x\\/y\\n","b":"${form}","c":"\\u00e4\\t"}`;
      expect(known.mask(text)).toBe('{"a":"x\\/y\\n","b":"***","c":"\\u00e4\\t"}');
      expect(known.isClean(text)).toBe(false);
      expect(known.isClean(JSON.stringify({ text }))).toBe(false);
    }
    expect(known.isClean('{"a":"x\\/y\\n\\u00e4"}')).toBe(true);
  });

  it('are never in a clean message, as deep as they are looked for', () => {
    const known = createSecrets(['top/secret/word']);
    const texts = ['top/secret/word'];
    for (let level = 0; level < 4; level++) texts.push(inPhp(texts[level] ?? ''));
    expect(texts.map((text) => known.mask(text) !== text)).toEqual([true, true, true, true, false]);
    for (const text of texts.slice(0, 4)) expect(known.isClean(JSON.stringify({ text }))).toBe(false);
  });

  it('are masked line by line', () => {
    const known = createSecrets(['birch 12 kettle\nsorrel-7-lamp\r\nwillow_93']);
    for (const line of ['birch 12 kettle', 'sorrel-7-lamp', 'willow_93'])
      expect(known.mask(`[teller] ${line}`)).toBe('[teller] ***');
  });

  it('are masked in JSON in JSON in JSON, and no such text counts as clean', () => {
    const value = 'Zq9"k7W-p0tR7vbnm42x';
    const known = createSecrets([value]);
    let text = value;
    for (const depth of [1, 2, 3, 4]) {
      text = JSON.stringify({ text });
      expect(known.isClean(text), String(depth)).toBe(false);
      expect(known.mask(text)).toContain('***');
    }
  });

  it('are masked in base64 behind anything, as `user:password` is sent', () => {
    for (const user of ['a:', 'ab:', 'abc:', 'abcd:']) {
      const sent = Buffer.from(`${user}hunter2-of-ann`).toString('base64');
      const [, rest = ''] = secrets.mask(`got ${sent}`).split('***');
      // What is left on both sides holds less than a letter of it.
      expect(rest.length).toBeLessThan(5);
      expect(secrets.mask(`got ${sent}`)).toContain('***');
    }
  });

  it('are masked wherever they stand in JSON, as texts, names and numbers', () => {
    const known = createSecrets(['hunter2-of-ann', '12345678']);
    expect(known.maskJson({ a: ['x hunter2-of-ann'], 'hunter2-of-ann': 12345678, n: 1234567 })).toEqual({
      a: ['x ***'],
      '***': '***',
      n: 1234567,
    });
  });

  it('are not there any more in any form, whatever stands around them', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.string({ unit: 'grapheme', minLength: 4 }), text, (before, word, after) => {
        fc.pre(!word.includes('*') && word.length >= 4);
        const known = createSecrets([word]);
        const json = JSON.stringify({ text: `${before}${word}${after}` });
        expect(known.maskKnown(`${before}${word}${after}`)).not.toContain(word);
        expect(known.maskKnown(json)).not.toContain(JSON.stringify(word).slice(1, -1));
      }),
    );
  });

  it('are learned while it lives', () => {
    const known = createSecrets();
    expect(known.mask('it is swordfish')).toBe('it is swordfish');
    known.learn(['swordfish']);
    expect(known.mask('it is swordfish')).toBe('it is ***');
    known.learn(['a much longer one', 'swordfish']);
    known.learn(['short']);
    expect(known.mask('a much longer one, short, swordfish')).toBe('***, ***, ***');
  });

  it('are none under four letters', () => {
    const known = createSecrets(['', '1', 'abc', 'four']);
    expect(known.mask('1 abc four')).toBe('1 abc ***');
  });

  it('are forgotten, the oldest first, where there are more than a host has', () => {
    const known = createSecrets(Array.from({ length: 5000 }, (_, index) => `value-${index}-x`));
    known.learn(['value-0-x', 'one-more']);
    expect(known.mask('value-0-x value-1-x value-2-x one-more')).toBe('*** value-1-x *** ***');
  });
});

describe('what looks like a secret', () => {
  const secrets = createSecrets();

  test.each<[string, string]>([
    ['login with password=hunter2 failed', 'login with password=*** failed'],
    ['Authorization: Bearer abcdefghij', 'Authorization: Bearer ***'],
    ['connect to postgres://ann:pw@db/x', 'connect to postgres://***@db/x'],
    ['key ghp_0123456789abcdef0123', 'key ***'],
    ['prompt_tokens: 312, completion_tokens=7', 'prompt_tokens: 312, completion_tokens=7'],
    ['password: true, cookie=none', 'password: true, cookie=none'],
    ['the passphrase: hunter2 is wrong', 'the passphrase: *** is wrong'],
  ])('%s', (text, expected) => {
    expect(secrets.mask(text)).toBe(expected);
  });

  it('is a number under such a name, unless it counts something', () => {
    expect(
      secrets.maskJson({ password: 48151623, pin_secret: [123456789], auth: { user: 1234567 }, token: 5 }),
    ).toEqual({ password: '***', pin_secret: ['***'], auth: { user: '***' }, token: 5 });
    const counts = {
      progressToken: 1234567,
      usage: { total_tokens: 1234567, promptTokenCount: 1234567, tokens_per_day: 1234567 },
      session_timeout_ms: 600000,
      token_expires_at: 1731855600,
      key: 1234567,
    };
    expect(secrets.maskJson(counts)).toEqual(counts);
  });

  test.each(['passphrase', 'key_passcode', 'DB_PASS', 'smtpPass', 'pass', 'SSHPASS'])(
    'stands under the name %s',
    (name) => {
      expect(secrets.maskJson({ [name]: 'hunter2' })).toEqual({ [name]: '***' });
      expect(secrets.isClean(JSON.stringify({ [name]: 'hunter2' }))).toBe(false);
      expect(secrets.mask(`${name.toUpperCase()}=hunter2 run`)).toBe(`${name.toUpperCase()}=*** run`);
      expect(secrets.mask(`run --${name} hunter2`)).toBe(`run --${name} ***`);
    },
  );

  test.each(['bypass', 'compass', 'passed', 'passenger'])('does not stand under the name %s', (name) => {
    expect(secrets.maskJson({ [name]: 'hunter2' })).toEqual({ [name]: 'hunter2' });
    expect(secrets.mask(`run --${name} hunter2`)).toBe(`run --${name} hunter2`);
  });

  it('is left where only what is known counts', () => {
    expect(secrets.maskKnown('Invalid token: ")"')).toBe('Invalid token: ")"');
  });
});

describe('a look at the whole text of a message', () => {
  const secrets = createSecrets(['hunter2-of-ann', 'a\nb"c\\d']);

  test.each<[string, Json]>([
    ['progress', { method: 'x', params: { _meta: { progressToken: 7 }, text: 'a - b = c' } }],
    ['an address', { url: 'https://example.com:80/a@b' }],
    ['words that say something in names alone', { reason: 'No session needs this connection', by: 'auth' }],
  ])('lets pass what has nothing in it: %s', (_, value) => {
    expect(secrets.isClean(JSON.stringify(value))).toBe(true);
  });

  it('never lets pass what would be masked', () => {
    const hints =
      `password|passphrase|smtpPass|token|key|pat|DSN|Auth|x-session|sessions of this one and of all others that there may be in the world|connectionString|progressToken|bearer abcdefghij|ghp_0123456789abcdef0123|x://a:b@
      |curl -u a:bcd|DB_PASS=abc|mysql -pabc|--token abc|sk-0123456789abcdefg|-----BEGIN PRIVATE KEY-----|eyJabcdefgh.abcdefgh|hunter2-of-ann
      |a\nb"c\\d|a\\nb\\u0022c\\\\d|hunter2\\u002dof-ann|hunter2%5Cu002Dof-ann|\\/|\n|\u000b|"|=|: | |\t`.split(
        /\n {6}\||\|/,
      );
    const text = fc
      .array(fc.oneof(fc.constantFrom(...hints), fc.string()), { maxLength: 4 })
      .map((all) => all.join(''));
    const value = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (json) => {
        fc.pre(secrets.isClean(JSON.stringify(json)));
        expect(secrets.maskJson(json)).toEqual(json);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a token of pluglot', () => {
  const token = 'plt_3q2-7wAAbC_dEfGhIjKlMnOpQrStUvWxYz012345678';

  it('is masked by its shape, also where only what is known counts', () => {
    const none = createSecrets();
    for (const secrets of [none, createSecrets(['hunter2-of-ann'])]) {
      expect(secrets.mask(`my key is ${token} ok`)).toBe('my key is *** ok');
      expect(secrets.maskKnown(`GET /?a=1&k=${token}&b=2`)).toBe('GET /?a=1&k=***&b=2');
      expect(secrets.maskKnown(`x${token.slice(0, 30)}`, 'piece')).toBe('x***');
      expect(secrets.maskJson({ note: `it is ${token}` })).toEqual({ note: 'it is ***' });
      expect(secrets.isClean(JSON.stringify({ note: token }))).toBe(false);
    }
    expect(none.maskKnown('plt_show_the_figure_of_all_values()')).toBe('plt_show_the_figure_of_all_values()');
  });

  it('is found in linear time', () => {
    const text = 'plt_-'.repeat(40_000);
    const start = performance.now();
    expect(createSecrets().maskKnown(text)).toBe(text);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

it('takes linear time', () => {
  const secrets = createSecrets(['aaaaaaaa', 'password']);
  const begun = performance.now();
  for (const part of [
    'a',
    'aaaaaaab',
    'token=',
    'curl -u ',
    '://a:',
    '"',
    'Bearer ',
    '-----BEGIN ',
    ' --a',
    '\\',
    '\\/',
    '\\\\u005c',
    '%5C/\\u0025',
  ])
    secrets.mask(part.repeat(200_000 / part.length));
  for (const part of ['token', 'pass']) secrets.mask(`x --${part.repeat(40_000)}. y`);
  expect(performance.now() - begun).toBeLessThan(20_000);
});

test('bytes of Python with control characters beyond ASCII are masked', () => {
  const secrets = createSecrets(['pass\u007f\u0085\u0080word']);
  expect(secrets.mask(String.raw`b'pass\x7f\xc2\x85\xc2\x80word'`)).toBe("b'***'");
});
