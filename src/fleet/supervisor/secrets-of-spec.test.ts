import { describe, expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { secretsOfHost, secretsOfSpec } from './environment.ts';

const folder = process.cwd();
const host = {
  folder,
  env: {
    ANY: 'value-of-any',
    MODE: 'staging',
    PORT: '54321',
    PIN_TOKEN: '123456',
    NUMBER: '123456789',
    SERVER: 'https://example.com',
    HOOK: 'https://example.com/hooks/abc',
    PLACE: folder,
    PLACES: `${folder}:/nowhere`,
    HOME: '/home/somebody',
    USER: 'somebody',
    SHORT_TOKEN: 'abcd5',
  },
};
const program = (start: object): PluginSpec => ({
  name: 'x',
  start: { kind: 'program', command: 'x', ...start },
});

describe('what a spec refers to', () => {
  test.each<[string, PluginSpec, string[]]>([
    ['a variable', program({ env: { A: '${env:ANY}' } }), ['value-of-any']],
    ['a part of a text', program({ env: { A: 'Bearer ${ANY}!' } }), ['value-of-any']],
    ['an argument', program({ args: ['--x', '${env:ANY}', '${ANY}'] }), ['value-of-any']],
    ['an address of its own', program({ env: { A: '${HOOK}' } }), ['https://example.com/hooks/abc']],
    ['digits, by their name', program({ env: { A: '${PIN_TOKEN}' } }), ['123456']],
    ['a default', program({ env: { A: '${env:NOBODY:-the usual one}' } }), ['the usual one']],
    ['what was put in before', { ...program({}), secrets: ['put-in'] }, ['put-in']],
  ])('is a secret: %s', (_, spec, expected) => {
    expect(secretsOfSpec(spec, host)).toEqual(expected);
  });

  it('is a secret where it lies in a file', () => {
    const own = temporaryFolder({ password: 'letters\n' });
    expect(secretsOfSpec(program({ env: { A: '${file:password}' }, folder: own }), host)).toEqual([
      'letters',
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['words', { A: '${MODE}' }],
    ['numbers', { A: '${PORT}', B: '${NUMBER}' }],
    ['servers', { A: '${SERVER}', B: '${env:NOBODY:-localhost:8080}' }],
    ['places', { A: '${PLACE}', B: '${PLACES}', C: '${plugin_dir}' }],
    ['what every program knows', { HOME: '${HOME}', TOKEN: '${USER}' }],
    ['what is too short', { A: '${SHORT_TOKEN}' }],
    ['what is not there', { A: '${NOBODY}', B: '${file:nothing}', C: '$${ANY}', D: '${?}' }],
  ])('is none where it stands in every other text: %s', (_, env) => {
    expect(secretsOfSpec(program({ env }), host)).toEqual([]);
  });
});

it('is what is written in a spec and looks like it', () => {
  const spec: PluginSpec = {
    ...program({
      env: { API_KEY: 'written-out', LEVEL: 'verbose', DB: 'postgres://ann:pass%20word@h/d' },
      args: ['--token', 'typed-token', '--api-key=typed-key', '--level', 'higher'],
    }),
    config: { deep: [{ password: 'configured' }], depth: 3, name: 'some name' },
  };
  expect(secretsOfSpec(spec, host)).toEqual([
    'written-out',
    'pass%20word',
    'pass word',
    'typed-token',
    'typed-key',
    'configured',
  ]);
});

it('is what a server is told, without the word that says what it is', () => {
  const spec: PluginSpec = {
    name: 'x',
    start: {
      kind: 'http',
      url: 'https://ann:in-address@h/mcp?access_token=in-query&page=2',
      headers: {
        Authorization: 'Bearer in-header',
        'X-Auth': `Basic ${Buffer.from('ann:basic-password').toString('base64')}`,
        Accept: 'application/json',
      },
      oauth: { clientId: 'me', clientSecret: 'of-client' },
    },
  };
  expect(secretsOfSpec(spec, host)).toEqual([
    'in-header',
    Buffer.from('ann:basic-password').toString('base64'),
    'basic-password',
    'of-client',
    'in-address',
    'in-query',
  ]);
});

it('is what variables of the host hold whose names say so, but for places', () => {
  const env = { GH_TOKEN: 'abcdefgh1', MY_CREDENTIALS: folder, PATH: '/bin', XDG_SESSION_TYPE: 'wayland-0' };
  expect(secretsOfHost(env)).toEqual(['abcdefgh1']);
});
