import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CliEnvironment } from '../context.ts';
import { complete } from './completion.ts';
import { declareCommands } from './index.ts';

const names = {
  plugins: ['dice', 'docs', '$(touch /tmp/x)', 'a b', '`x`', "it's", 'x;y', '-rf', 'line\nbreak', '*'],
  tools: [
    'dice__roll',
    'files__read',
    'docs__find',
    'files__find',
    'dice__-rf',
    'dice__$(x)',
    'dice__"quoted"',
    'dice__!history',
    'dice__~',
  ],
};
const commands = {
  names: () => Promise.resolve(['todo__plan', 'permission__permissions', 'todo__$(x)', 'todo__-x']),
  values: (command: string, words: readonly string[], partial: string) =>
    Promise.resolve([`${partial}${command}-${words.join('-')}`, '-rf', '`x`']),
};

test.each([
  [['s'], ['serve', 'start', 'status', 'stop']],
  [
    ['run', 'todo'],
    ['todo__-x', 'todo__plan'],
  ],
  // Where no full name begins so, the own names that one plugin alone has.
  [['run', 'pl'], ['plan']],
  [['run', '-x'], []],
  [['call', 'rea'], ['read']],
  [['call', 'fin'], []],
  [['run', 'plan', ''], ['plan-']],
  [['run', '-v', 'plan', 'add', '--timeout', '5s', '2', 'x'], ['xplan-add-2']],
  [['run', 'plan', '--', ''], []],
  [['audit', ''], ['verify']],
  [['audit', '--den'], ['--denied']],
  [['__c'], []],
  [['-'], ['--version', '-V']],
  [
    ['logs', 'd'],
    ['dice', 'docs'],
  ],
  [['logs', 'dice', ''], []],
  [
    ['serve', '--as', 'g'],
    ['gassist', 'gevals'],
  ],
  [['serve', '--as', 'mcp', 'docs', 'di'], ['dice']],
  [['add', ''], []],
  [
    ['inspect', '--dialect', 'g'],
    ['gassist', 'gevals'],
  ],
  [['inspect', '--dialect', 'mcp', 'di'], ['dice']],
  [['inspect', '--config', ''], []],
  [['call', '--js'], ['--json']],
  [['call', '-v', 'ro'], ['roll']],
  [
    ['call', 'files'],
    ['files__find', 'files__read'],
  ],
  [['call', 'roll', 's'], []],
  [['call', 'roll', '--', 'd'], []],
  [
    ['import', 'c'],
    ['claude-code', 'claude-desktop', 'cursor'],
  ],
  [
    ['trust', ''],
    ['add', 'list', 'remove'],
  ],
  [['trust', 'add', ''], []],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['nonsense', ''], []],
])('%o → %o', async (words, expected) => {
  expect(await complete(await program(), words, () => Promise.resolve(names), commands)).toEqual(expected);
});

test('names that mean something to a shell are never offered', async () => {
  const offered = [
    ...(await complete(await program(), ['logs', ''], () => Promise.resolve(names), commands)),
    ...(await complete(await program(), ['call', ''], () => Promise.resolve(names), commands)),
  ];
  expect(offered).toEqual([
    'dice',
    'docs',
    'dice__-rf',
    'dice__roll',
    'docs__find',
    'files__find',
    'files__read',
  ]);
});

test('names are looked up only where they are wanted', async () => {
  const never = () => Promise.reject(new Error('asked'));
  for (const words of [[''], ['call', '--'], ['up', ''], ['add', '']])
    await complete(await program(), words, never, commands);
  await expect(complete(await program(), ['call', ''], never, commands)).rejects.toThrow('asked');
});

async function program(): Promise<Command> {
  const made = new Command('pluglot').version('1', '-V, --version');
  // The part of the environment that describing commands needs.
  const environment = { stdout: {}, stderr: {}, env: {} } as unknown as CliEnvironment;
  await declareCommands(made, { environment, command: undefined, finish: () => {} });
  return made;
}
