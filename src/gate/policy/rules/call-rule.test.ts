import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, policyOf, shellCall, verdictOn } from '../../../../test/support/gate/policy.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { textOf } from '../../../base/text.ts';
import { unescaped } from '../../../base/unescaped.ts';
import type { PermissionsFile } from '../file/permissions-file.ts';
import { coversText } from '../glob.ts';
import type { Subject } from '../policy.ts';
import { ruleFor } from './call-rule.ts';

function verdict(rules: PermissionsFile['whitelist'], args: JsonObject): unknown {
  const decided = policyOf({ defaultPolicy: 'ask', whitelist: rules ?? {} }).decide(call('read', args));
  return 'kind' in decided ? decided.kind : decided;
}

describe('a pattern that allows', () => {
  test.for<[pattern: string, args: JsonObject]>([
    ['read', { path: '/etc/passwd', any: 1 }],
    ['re*', { path: '../x' }],
    ['read(*)', { path: '../x', any: 1 }],
    ['read()', {}],
    ['read(path=src/*)', { path: 'src/a/b.ts' }],
    ['read(path=src/*)', { path: 'src/a..b' }],
    ['read(path=src/*)', { path: 'src/...' }],
    ['read(path=../shared/*)', { path: '../shared/a' }],
    ['read(path=src/../x)', { path: 'src/../x' }],
    ['read(path=src/*, *)', { path: 'src/a' }],
    ['read(path=src/*, *)', { encoding: 'utf8', path: 'src/a', raw: true }],
    ['read(*, path=src/*)', { encoding: 'utf8', path: 'src/a' }],
    ['read(encoding=utf8, path=*)', { path: 'src/a', encoding: 'utf8' }],
    ['read(path="a, b*")', { path: 'a, b=c, d' }],
    ['read(range=main*)', { range: 'main..next' }],
    ['*(path=src/*)', { path: 'src/a' }],
    ['read(path=src/*)', { path: 'src/a', root: '/etc' }],
    ['read(path=src/*)', { z: 1, path: 'src/a b, c=d' }],
    ['read(path=src/*, !*)', { path: 'src/a' }],
    ['read(path=src/*)', { path: ['src/a', ['src/b']] }],
    ['read(count=10, force=true, none=null)', { force: true, count: 10, none: null }],
    ['read(path="a[*]b")', { path: 'a*b' }],
    ['read(at="{\\"x\\":[1,2]}")', { at: { x: [1, 2] } }],
    ['read(path=*)', { path: {} }],
    ['read(n==1)', { n: 1, more: true }],
    ['read(n=="1, 2", !*)', { n: '1, 2' }],
    ['read(at=={"x":[1,null]})', { at: { x: [1, null] } }],
    ['read(path==src/a)', { path: '=src/a' }],
    ['read(path=a(b)c)', { path: 'a(b)c' }],
    ['read(path=%2e%2e/*)', { path: '%2e%2e/100%25' }],
  ])('%s covers %j', ([pattern, args]) => {
    expect(verdict({ patterns: [pattern] }, args)).toBe('allow');
  });

  test.for<[pattern: string, args: JsonObject]>([
    ['read(path=src/*)', { path: 'src/../../etc/passwd' }],
    ['read(path=src/*)', { path: 'src/..' }],
    ['read(n==1)', { n: '1' }],
    ['read(n==1)', { n: [1] }],
    ['read(n==1)', { n: '=1' }],
    ['read(n=="1")', { n: 1 }],
    ['read(n=="a*")', { n: 'ab' }],
    ['read(at=={"x":1})', { at: '{"x":1}' }],
    ['read(at=={"x":1})', { at: { x: 1, y: 2 } }],
    ['read(path=a))', { path: 'a)' }],
    ['read(path=src/.*)', { path: 'src/../x' }],
    ['read(path=src/*)', { path: 'src/a\\..\\..\\x' }],
    ['read(path=*)', { path: '../x' }],
    ['read(path=*)', { path: 'a b/../x' }],
    ['read(path=*)', { path: '..' }],
    ['read(path=src/?./x)', { path: 'src/../x' }],
    ['read(path=../shared/*)', { path: '../shared/../x' }],
    ['read(path=*)', { path: ['a', '../x'] }],
    ['read(path=*)', { path: { deep: { one: 'x/..' } } }],
    ['read(path=src/*)', { path: 'src/%2e%2E/x' }],
    ['read(path=src/*)', { path: 'src%2f..%2fx' }],
    ['read(path=src/*)', { path: 'src/.\u{E0001}./x' }],
    ['read(path=src/*)', { path: 'src/.\u{1BCA0}./x' }],
    ['read(path=src/*)', { path: 'src/.\u{1D173}./x' }],
    ['read(path=src/*)', { path: 'src/.\uFFF9./x' }],
    ['read(path=src/*)', { path: 'src/%25%32%65%25%32%65/x' }],
    ['read(path=src/*)', { path: 'src/%%32%65%%32%65/x' }],
    ['read(path=src/*)', { path: 'src/.%0d./x' }],
    ['read(path=src/*)', { path: 'src/.%09%0a./x' }],
    ['read(path=%2e%2e/*)', { path: '%2e%2e/%25%32%65./x' }],
    ['read(path=src/*, !*)', { path: 'src/a', root: '/etc' }],
    ['read(path=src/*, !*)', { path: 'src/a', z: 1 }],
    ['read(path=src/*)', { path: ['src/a', '/etc/passwd'] }],
    ['read(path=src/*)', { path: [] }],
    ['read(path=["src/*"])', { path: ['src/a', '/etc/passwd'] }],
    ['read(path=*x*)', { path: { deep: 'x' } }],
    ['read(at="{\\"x\\":*}")', { at: { x: [1, 2] } }],
    ['read(path="a[*]b")', { path: 'axb' }],
    ['read(path=src/*)', { deep: { path: 'src/a' } }],
    ['read(path=src/*)', { root: 'src/a' }],
    ['read(path=src/*)', {}],
    ['read(path=src/*, *)', { other: 'src/a' }],
    ['read(path=src/*, mode=r)', { path: 'src/a' }],
    ['read()', { path: 'x' }],
    ['read(path=src/*', { path: 'src/a' }],
    ['read*path=src/*', { path: 'src/a' }],
    ['read(p*=src/*)', { path: 'src/a' }],
    ['read(path=a, path=b)', { path: 'a' }],
    ['', {}],
  ])('%s does not cover %j', ([pattern, args]) => {
    expect(verdict({ patterns: [pattern] }, args)).toBe('ask');
  });

  test('written for a call covers that call and no other', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('*', '?', '[', ']', '"', ',', '(', ')', '=', '!', ' ', '\\'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
      maxLength: 8,
    });
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.boolean(),
      fc.array(text, { maxLength: 3 }),
      fc.dictionary(text, text, { maxKeys: 2 }),
    );
    const key = text.filter((one) => one !== '__proto__' && one !== '');
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), text, (args, other) => {
        const pattern = ruleFor(call('read', args), 'call') ?? '';
        expect([args, pattern, verdict({ patterns: [pattern] }, args)]).toEqual([args, pattern, 'allow']);
        const longer = { ...args, 'longer than any': 1 };
        expect([args, verdict({ patterns: [pattern] }, longer)]).toEqual([args, 'ask']);
        const [first] = Object.keys(args);
        if (first === undefined) return;
        const value = args[first] ?? null;
        const others = [other, textOf(value), [value], [textOf(value)], { a: value }];
        for (const one of others.filter((each) => JSON.stringify(each) !== JSON.stringify(value)))
          expect([args, verdict({ patterns: [pattern] }, { ...args, [first]: one })]).toEqual([args, 'ask']);
      }),
    );
  });

  test('written for a tool covers every call of it', () => {
    for (const name of ['read', 'a b', 'x*', 'r(1)', '"']) {
      const subject = call(name, { path: '/etc/passwd' }, { plugin: 'fs' });
      const policy = policyOf({
        defaultPolicy: 'ask',
        whitelist: { tools: [ruleFor(subject, 'tool') ?? ''] },
      });
      expect([name, policy.decide(subject)]).toMatchObject([name, { kind: 'allow' }]);
      expect(policy.decide({ ...subject, ownName: `${name}x`, name: `${name}x` })).toMatchObject({
        kind: 'ask',
      });
      expect(policy.decide({ ...subject, plugin: 'other' })).toMatchObject({ kind: 'ask' });
    }
  });
});

test('rules for arguments do not go up either', () => {
  const rules = { arguments: { read: { path: ['src/*', '../shared/*'] } } };
  expect(verdict(rules, { path: 'src/a' })).toBe('allow');
  expect(verdict(rules, { path: '../shared/a' })).toBe('allow');
  expect(verdict(rules, { path: 'src/../a' })).toBe('ask');
  expect(verdict(rules, { path: '../shared/../a' })).toBe('ask');
});

test('a star in a word of a command does not go up, one that is a word does', async () => {
  const rules = { allow: ['cat src/*', 'ls *', 'cat ../shared/*'] };
  for (const command of ['cat src/a', 'ls ../x', 'cat ../shared/a', 'cat src/a..b'])
    expect([command, await verdictOn(rules, command)]).toMatchObject([command, { kind: 'allow' }]);
  for (const command of ['cat src/../../etc/passwd', 'cat "src/.."', 'cat ../shared/../a', 'cat src/a ../b'])
    expect([command, await verdictOn(rules, command)]).toMatchObject([command, { kind: 'ask' }]);
});

test('a pattern that forbids stays wide', () => {
  for (const pattern of ['read(path=src/*)', 'read(path=src/*', 'read*src*', '*../*']) {
    const policy = policyOf({ defaultPolicy: 'allow', blacklist: { patterns: [pattern] } });
    expect(policy.decide(call('read', { path: 'src/../x', root: 'y' }))).toMatchObject({ kind: 'deny' });
  }
});

test('a class of what only reads is a rule that allows', () => {
  const policy = policyOf({
    defaultPolicy: 'ask',
    classes: { readOnly: { patterns: ['read(path=src/*)'] } },
  });
  expect(policy.decide(call('read', { path: 'src/a' }))).toMatchObject({ kind: 'allow', method: 'class' });
  expect(policy.decide(call('read', { path: 'src/../a' }))).toMatchObject({ kind: 'ask' });
});

test('no value leaves the folder before its star, whatever it is', () => {
  const part = fc.constantFrom('..', '.', 'a', '...', '..a', 'a..', '', ' ', '"', 'é');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const isUp = parts.includes('..');
      expect(coversText('src/*', ['src', ...parts].join('/'))).toBe(parts.length > 0 && !isUp);
    }),
  );
});

test('an address or path that a rule with a prefix covers begins with that prefix for parsers too', () => {
  const signs = '. .. / \\ %2e %2E % 2 e \t \n \r \0 a - ? # %252e %2f %5c @ : ; |'.split(' ');
  const piece = fc.constantFrom(' ', '\u00AD', '\u200B', '\u034F', '\u3164', '\uFF0E', '\u2025', ...signs);
  const text = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));
  for (const prefix of ['https://ok.example/api/', 'file:///srv/docs/', 'foo://host/a/', '/srv/docs/'])
    fc.assert(
      fc.property(text, (rest) => {
        if (!coversText(`${prefix}*`, prefix + rest)) return;
        expect(new URL(prefix + rest, 'file:///').href.startsWith(new URL(prefix, 'file:///').href)).toBe(
          true,
        );
        const decoded = unescaped(prefix + rest) ?? prefix + rest;
        for (const one of [prefix + rest, decoded, decoded.normalize('NFKC')])
          for (const dropped of [one, one.replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')])
            expect(`${path.posix.normalize(dropped)}/`.startsWith(path.posix.normalize(prefix))).toBe(true);
      }),
      { numRuns: 2000 },
    );
});

test.for<[pattern: string, text: string]>([
  ['https://ok.example/api/*', 'https://ok.example/api/.\t./admin'],
  ['https://ok.example/api/*', 'https://ok.example/api/%2\te%2\ne/admin'],
  ['https://ok.example/api/*', 'https://ok.example/api/%252e%252e/admin'],
  ['https://ok.example/api/.*', 'https://ok.example/api/.\n./admin'],
  ['file:///srv/docs/*', 'file:///srv/docs/.\t./.\t./etc2/passwd'],
  ['src/*', 'src/\uFF0E\uFF0E/x'],
  ['src/*', 'src/\u034F../x'],
])('%s does not cover %j', ([pattern, text]) => {
  expect(coversText(pattern, text)).toBe(false);
});

test('a star covers texts of several lines', () => {
  for (const text of ['one.\n.two', 'end.\n\n.hidden', 'a\tb', 'Wait...\n… what?'])
    expect([text, coversText('*', text)]).toEqual([text, true]);
});

describe('a rule that forbids', () => {
  const verdictOf = (pattern: string, args: JsonObject) => {
    const policy = policyOf({ defaultPolicy: 'allow', blacklist: { patterns: [pattern] } });
    const found = policy.decide(call('t', args, { plugin: 'p', name: 'p__t' }));
    if ('then' in found) throw new Error('It was not decided at once.');
    return found;
  };
  const decided = (pattern: string, args: JsonObject) => verdictOf(pattern, args).method;

  test.for<[pattern: string, args: JsonObject]>([
    // Further arguments, in any order, with raw values.
    ['t(path=.git/*)', { content: 'x', path: '.git/config' }],
    ['t(path=.git/*)', { path: '.git/a b, c="d"' }],
    ['t(cmd=rm*)', { cmd: 'rm -rf "x"', timeout: 5 }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://169.254.169.254/latest?a=b', method: 'GET' }],
    ['t(path=/etc/*, force=true)', { force: true, path: '/etc/passwd', z: 1 }],
    ['t(force=true, path=/etc/*)', { path: '/etc/passwd', force: 'true' }],
    ['p__t(path=.git/*)', { a: 1, path: '.git/x' }],
    ['*__t(path=.git/*)', { a: 1, path: '.git/x' }],
    ['t(count=10)', { count: 10 }],
    ['t(on=true)', { on: true, x: 1 }],
    ['t(none=null)', { none: null }],
    // Paths, however they are written.
    ['t(path=.git/*)', { path: './.git/config' }],
    ['t(path=.git/*)', { path: 'src/../.git/config' }],
    ['t(path=.git/*)', { path: '.GIT/config' }],
    ['t(path=.git/*)', { path: '.git//config' }],
    ['t(path=.git/*)', { path: '.git\\config' }],
    ['t(path=.git/*)', { path: ' .git/config' }],
    ['t(path=.git/*)', { path: '.g\u200cit/config' }],
    ['t(path=.git/*)', { path: '%2egit/config' }],
    ['t(path=.git/*)', { path: '%252egit%252fconfig' }],
    ['t(path=.git/*)', { path: '/work/.git/config' }],
    ['t(path=.git/*)', { path: '../work/.git/config' }],
    ['t(path=.git/*)', { path: 'file:///work/src/../.git/config' }],
    ['t(path=.git/*)', { path: '.git' }],
    ['t(path=.git/*)', { path: '.git/' }],
    ['t(path=./.git/*)', { path: '.git/config' }],
    ['t(path=/etc/*)', { path: '../etc/passwd' }],
    ['t(path=/etc/*)', { path: '//etc/./passwd' }],
    ['t(path=~/.ssh/*)', { path: '/home/me/.ssh/id_rsa' }],
    ['t(path=~/.ssh/*)', { path: '../home/me/.ssh/id_rsa' }],
    ['t(path=/home/me/*)', { path: '~/x' }],
    // Addresses.
    ['t(url=http://169.254.169.254/*)', { url: 'http://169.254.169.254' }],
    ['t(url=http://169.254.169.254/*)', { url: 'HTTP://169.254.169.254:80/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://me:pw@169.254.169.254/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://2852039166/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://0xa9.0xfe.0xa9.0xfe/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://[::ffff:169.254.169.254]/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http:\\\\169.254.169.254\\x' }],
    // Parsers of addresses drop control characters, and those of paths may end at NUL.
    ['t(url=http://169.254.169.254/*)', { url: 'ht\ntp://169.254.169.254/x' }],
    ['t(url=http://169.254.169.254/*)', { url: 'h\rttp://2852039166/x' }],
    ['t(url=http://169.254.169.254/*)', { url: '\u0001 http://169.254.169.254/x' }],
    ['t(url=http://169.254.169.254/*)', { url: '\u001Fhttp:/\t/169.254\n.169.254/' }],
    ['t(path=.git/*)', { path: '.\uFE0Fgit/config' }],
    ['t(path=.git/*)', { path: '.g\u034F\u115F\u3164it/config' }],
    ['t(path=.git/*)', { path: '.git\0/config' }],
    ['t(path=secret.txt)', { path: 'secret.txt\0.png' }],
    ['t(path=secret.txt)', { path: 'secret.txt%00.png' }],
    ['t(path=.git/*)', { path: '.gi\uE000t\u0007/config' }],
    ['t(path=.git/*)', { path: '%2e%47%49t/config' }],
    ['t(path=.git/*)', { path: '.%e2%80%8bgit/config' }],
    ['t(path=.git/*)', { path: 'src/%2e%2e%2f%ff%2f%2e%2e%2f.git/config' }],
    ['t(path=caf\u00E9/*)', { path: 'cafe\u200B\u0301/x' }],
    ['t(a=x?y)', { a: 'x\ny' }],
    // Names of arguments are read so too.
    ['t(path=.git/*)', { Path: '.git/x' }],
    ['t(path=.git/*)', { path: 'ok', 'pa\u200Bth': '.git/x' }],
    ['t(path=.git/*)', { edits: [{ ' PA\uFE0FTH\n': '.git/x' }] }],
    ['t(path=.git/*)', { 'path\0x': '.git/x' }],
    ['t(Path=.git/*)', { path: '.git/x' }],
    ['t(url=http://internal/*)', { url: 'http://internal./x' }],
    // Hosts, however they are written, and addresses that parsers read in two ways.
    ['t(host=127.0.0.1)', { host: '127.1' }],
    ['t(host=127.0.0.1)', { host: '0x7f000001' }],
    ['t(host=127.0.0.1)', { host: '2130706433' }],
    ['t(host=127.0.0.1)', { host: 2_130_706_433 }],
    ['t(host=127.0.0.1)', { host: '0177.0.0.1' }],
    ['t(host=127.0.0.1)', { host: '[::ffff:7f00:1]' }],
    ['t(host=127.0.0.1)', { host: '::ffff:127.0.0.1' }],
    ['t(host=127.0.0.1)', { host: '127.0.0.1.' }],
    ['t(host=127.0.0.1)', { host: '127.0.0.1:80' }],
    ['t(host=127.0.0.1)', { host: '127.1:8080' }],
    ['t(host=localhost)', { host: 'LOCALHOST:80' }],
    ['t(host=::1)', { host: '[::1]:80' }],
    ['t(path=Straße/*)', { path: 'STRAẞE/x' }],
    ['t(path=straẞe/*)', { path: 'strasse/x' }],
    ['t(path=\u0390/*)', { path: '\u0399\u0308\u0301/x' }],
    ['t(path=.git/*)', { path: '.g\u2028it/config' }],
    ['t(path=.git/*)', { path: '.git\u2029/config' }],
    ['t(host=::1)', { host: '[0:0:0:0:0:0:0:1]' }],
    ['t(host=[::1])', { host: '::1' }],
    ['t(host=127.0.0.1:*)', { host: '127.1:8080' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://ok.com\\@169.254.169.254/' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://169.254.169.254\\@ok.com/' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://169.254.169.254:+80/' }],
    ['t(url=http://[::1]/*)', { url: 'http://[::1%25lo]/' }],
    ['t(url=http://[::1]/*)', { url: 'http://[::1%lo]/' }],
    // Lists, objects, and names inside of them.
    ['t(path=.git/*)', { path: ['src/a', '.git/config'] }],
    ['t(path=.git/*)', { path: { to: [{ file: '.git/config' }] } }],
    ['t(path=.git/*)', { edits: [{ path: '.git/config', text: 'x' }] }],
    ['t(*=/etc/*)', { any: '/etc/passwd' }],
    // Values in further forms.
    ['t(path=.git/*)', { path: `${'./'.repeat(4200)}.git/config` }],
    ['t(path=.git/*)', { path: `${'a/../'.repeat(2000)}.git/config` }],
    ['t(path=.git/*)', { path: 'file:.git/config' }],
    ['t(path=.git/*)', { path: 'file://./.git/config' }],
    ['t(path=.git/*)', { path: '%2525252egit/config' }],
    ['t(path=.git/*)', { path: '%u002egit/config' }],
    ['t(path=.git/*)', { path: { '.git/config': 1 } }],
    // Rules in further forms.
    ['t(path=src/../.git/*)', { path: '.git/x' }],
    ['t(path=/etc/)', { path: '/etc' }],
    ['t(path=//srv//x/*)', { path: '/srv/x/a' }],
    ['t(url=http://h.example:80/*)', { url: 'http://h.example/x' }],
    ['t(url=http://ann@h.example./*)', { url: 'http://h.example/x' }],
    ['t(url=http://2852039166/*)', { url: 'http://169.254.169.254/x' }],
    ['t(url=http://bücher.example/*)', { url: 'http://xn--bcher-kva.example/x' }],
    ['t', { any: 1 }],
    ['t(*)', { any: 1 }],
    ['t()', {}],
    ['t(a=1, !*)', { a: 1 }],
    ['t(a==1)', { a: '1' }],
    ['t(a==1)', { a: ['=1'] }],
    ['t(path==".git/x")', { path: './.git/x' }],
    // Keys of an object in any order, at any depth.
    ['t(at=={"a":1,"b":2})', { at: { b: 2, a: 1 } }],
    ['t(at={"a":1,"b":2})', { at: { b: 2, a: 1 } }],
    ['t(at=={"a":1,"b":{"c":1,"d":2}})', { x: [{ at: [{ b: { d: 2, c: 1 }, a: 1 }] }] }],
    ['t(v==[1,2])', { v: [[1, 2]] }],
    // Letters whose case depends on what follows, or that have several letters in the other case.
    ['t(x=ΑΣ*)', { x: 'ΑΣΑ' }],
    ['t(x=ΑΣ*)', { x: 'ας' }],
    ['t(x=οδος)', { x: 'ΟΔΟΣ' }],
    ['t(x=οδοσ*)', { x: 'οδος' }],
    ['t(x=straße/*)', { x: 'STRASSE/a' }],
    ['t(x=strasse/*)', { x: 'Straße/a' }],
    ['t(x=İx)', { x: 'ix' }],
    ['t(x=ix)', { x: 'İX' }],
    ['t(x=cafe*)', { x: 'cafe\u0301' }],
    // Hosts with other full stops, zones, and schemes that browsers do not know.
    ['t(host=127.0.0.1)', { host: '127。0。0。1' }],
    ['t(host=127.0.0.1)', { host: '127｡1' }],
    ['t(host=127。0。0。1)', { host: '127.1' }],
    ['t(host=fe80::1)', { host: 'fe80::1%eth0' }],
    ['t(host=fe80::1)', { host: '[fe80::1%25eth0]' }],
    ['t(url=redis://127.0.0.1/*)', { url: 'redis://127.1/' }],
    ['t(url=redis://127.0.0.1/*)', { url: 'redis://me:pw@0x7f000001/0' }],
    ['t(url=redis://127.0.0.1/*)', { url: 'redis://[::ffff:127.0.0.1]/' }],
    ['t(url=redis://127.0.0.1/*)', { url: 'redis://127。0。0。1' }],
    ['t(url=redis://127.1:6379/*)', { url: 'redis://127.0.0.1:6379/0' }],
    // Names of tools and plugins.
    ['P__T(path=.git/*)', { path: '.git/x' }],
    ['T', {}],
    ['P__*', {}],
    ['P*__t', {}],
  ])('%s forbids %j', ([pattern, args]) => {
    expect(decided(pattern, args)).toBe('deny-rule');
  });

  test.for<[pattern: string, args: JsonObject]>([
    ['t(path=.git/*)', { path: '.gitignore' }],
    ['t(path=.git/*)', { path: 'src/.git/config' }],
    ['t(path=.git/*)', { content: '.git/config' }],
    ['t(path=/etc/*, force=true)', { path: '/etc/passwd' }],
    ['t(path=/etc/*, force=true)', { path: '/etc/passwd', force: false }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://example.com/169.254.169.254/' }],
    ['t(host=127.0.0.1)', { host: '127.0.0.2' }],
    ['t(host=127.0.0.1)', { host: '10' }],
    ['t(url=http://169.254.169.254/*)', { url: 'http://ok.com/@169.254.169.254/' }],
    ['u(path=.git/*)', { path: '.git/config' }],
    ['q__t(path=.git/*)', { path: '.git/config' }],
    ['t()', { a: 1 }],
    ['t(a=1, !*)', { a: 1, b: 2 }],
  ])('%s does not forbid %j', ([pattern, args]) => {
    expect(decided(pattern, args)).toBe('default');
  });

  test('reads long texts in full, in a time that grows with their length', () => {
    expect(
      decided('t(url=http://169.254.169.254/*)', { url: `http://2852039166/${'x'.repeat(10_000)}` }),
    ).toBe('deny-rule');
    for (const part of ['\0', 'a\n', '\u202E\uFE0F', 'e\u200B\u0301', '%2e', 'a:'])
      expect(decided('t(a=*secret*)', { a: part.repeat(100_000) })).toBe('default');
  });

  test('denies what is too much to be compared, and says so', () => {
    const paths = Array.from({ length: 24_000 }, (_, index) => `${'../a/'.repeat(30)}${index}`);
    let deep: Json = 'x'.repeat(2_000_000);
    for (let depth = 0; depth < 90; depth += 1) deep = { a: deep };
    for (const args of [{ a: paths }, { a: 'é'.repeat(2_000_000) }, { a: deep }]) {
      const verdict = verdictOf('t(a=/etc/*)', args);
      expect(verdict).toMatchObject({ kind: 'deny', method: 'deny-rule' });
      expect(verdict.reason).toBe(
        'It has more values than can be compared with the rules that forbid, such as t(a=/etc/*). Send less in one call.',
      );
    }
    // What no rule is about does not matter.
    expect(decided('t(b=/etc/*)', { a: paths })).toBe('default');
  });

  test('finds what is nested in others of its name', () => {
    expect(decided('t(path=/etc/*)', { path: { x: [{ path: { path: '/etc/passwd' } }] } })).toBe('deny-rule');
    expect(decided('t(path=/etc/*)', { path: { path: 'src/a' }, b: [{ Path: '/etc/x' }] })).toBe('deny-rule');
  });

  test.each([
    'file:///srv//docs/secret',
    'file:////srv/docs/secret',
    'file:///srv/docs//secret1',
    'file://127.0.0.1/srv/docs/secret',
    'file://localhost/srv/docs/x/../secret',
    '/srv/docs/secret',
    'fi\nle:///srv/docs/secret',
    '\u0001file:///srv/docs/secret',
  ])('the address of a file is the same however it is written: %j', (address) => {
    expect(decided('t(uri=file:///srv/docs/secret*)', { uri: address })).toBe('deny-rule');
  });

  test('goes for the class of what destroys, and for tools that run command lines', async () => {
    const rules = { patterns: ['del(path=/etc/*, force=true)'] };
    const args = { force: true, path: '/etc/x', more: 1 };
    const policy = policyOf({ defaultPolicy: 'allow', classes: { destructive: rules } });
    expect(policy.decide(call('del', args))).toMatchObject({ kind: 'ask', method: 'class' });
    const lines = policyOf({
      defaultPolicy: 'allow',
      blacklist: { patterns: ['cli_based_tool(background=true)'] },
    });
    const run = { ...shellCall('git log'), args: { command: 'git log', background: true } };
    expect(await lines.decide(run)).toMatchObject({ kind: 'deny', method: 'deny-rule' });
  });

  test('names no argument of its own when it is written by table', () => {
    const policy = policyOf({ defaultPolicy: 'ask', whitelist: { arguments: { t: {} } } });
    expect(policy.decide(call('t'))).toMatchObject({ kind: 'ask' });
  });
});

describe('resources and prompts', () => {
  const content = (kind: 'resource' | 'prompt', id: string, plugin = 'docs') =>
    call(`${plugin}__${kind}:${id}`, {}, { kind, plugin, ownName: `${kind}:${id}` });
  const kindOf = (rules: PermissionsFile, subject: Subject) => {
    const found = policyOf({ defaultPolicy: 'ask', ...rules }).decide(subject);
    return 'kind' in found ? found.kind : found;
  };

  test.for<[rule: string, subject: Subject, kind: string]>([
    ['docs__*', content('resource', 'file:///work/a'), 'allow'],
    ['docs__resource:file:///work/*', content('resource', 'file:///work/a__b'), 'allow'],
    ['docs__resource:file:///work/*', content('resource', 'file:///work/../etc/passwd'), 'ask'],
    ['docs__resource:file:///work/*', content('resource', 'file:///etc/passwd'), 'ask'],
    ['docs__resource:*', content('prompt', 'x'), 'ask'],
    ['docs__prompt:review', content('prompt', 'review'), 'allow'],
    ['docs__prompt:*', content('prompt', 'review', 'other'), 'ask'],
    ['docs__get_*', content('resource', 'get_x'), 'ask'],
    ['resource:*', content('resource', 'x'), 'ask'],
    // Kinds are apart: a tool may be called what it likes, and a pattern for tools is none for prompts.
    ['docs__prompt:x', content('prompt', 'x'), 'allow'],
    ['docs__prompt:x', call('docs__prompt:x', {}, { plugin: 'docs', ownName: 'prompt:x' }), 'ask'],
    ['docs__resource:*', call('docs__resource:x', {}, { plugin: 'docs', ownName: 'resource:x' }), 'ask'],
    ['docs__*', call('docs__prompt:x', {}, { plugin: 'docs', ownName: 'prompt:x' }), 'allow'],
    ['docs__p*', content('prompt', 'x'), 'ask'],
    ['docs__r*', content('resource', 'x'), 'ask'],
  ])('%s and %j: %s', ([rule, subject, kind]) => {
    expect(kindOf({ allow: [rule] }, subject)).toBe(kind);
  });

  test.for<[rule: string, subject: Subject, kind: string]>([
    ['resource:file:///etc/*', content('resource', 'file:///etc/passwd'), 'deny'],
    ['resource:file:///etc/*', content('resource', 'FILE:///work/../etc/passwd'), 'deny'],
    ['docs__resource:/etc/*', content('resource', 'file:///etc/passwd'), 'deny'],
    ['docs__resource:file:///etc/passwd', content('resource', 'file:///etc/./passwd'), 'deny'],
    ['other__resource:*', content('resource', 'file:///etc/passwd'), 'allow'],
    ['docs__*', content('prompt', 'x'), 'deny'],
    ['DOCS__Resource:file:///etc/*', content('resource', 'file:///etc/passwd'), 'deny'],
    ['Resource:file:///etc/*', content('resource', 'file:///work/../etc/passwd'), 'deny'],
    ['docs__Prompt:Review', content('prompt', 'review'), 'deny'],
  ])('denied: %s and %j: %s', ([rule, subject, kind]) => {
    expect(kindOf({ defaultPolicy: 'allow', deny: [rule] }, subject)).toBe(kind);
  });
});
