import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, policyOf, verdictOn } from '../../../../test/support/policy.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { PermissionsFile } from '../file/permissions-file.ts';
import { argumentsText } from '../signature.ts';
import { coversText } from '../covers-text.ts';

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
  ])('%s covers %j', ([pattern, args]) => {
    expect(verdict({ patterns: [pattern] }, args)).toBe('allow');
  });

  test.for<[pattern: string, args: JsonObject]>([
    ['read(path=src/*)', { path: 'src/../../etc/passwd' }],
    ['read(path=src/*)', { path: 'src/..' }],
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
    ['read(path=src/*)', { path: 'src/a', root: '/etc' }],
    ['read(path=src/*)', { path: 'src/a', z: 1 }],
    ['read(path=src/*)', { path: 'src/a, z=1' }],
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

  test('names a call as its signature writes it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !/[*?]/.test(one));
    const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 }));
    const key = text.filter((one) => one !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (args) => {
        const pattern = `read${argumentsText({ args })}`;
        const longer = { ...args, 'longer than any': 1 };
        expect([args, verdict({ patterns: [pattern] }, args)]).toEqual([args, 'allow']);
        expect([args, verdict({ patterns: [pattern] }, longer)]).toEqual([args, 'ask']);
      }),
    );
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
