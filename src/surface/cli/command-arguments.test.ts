import { expect, test } from 'vitest';
import type { CommandManifest } from '../../definition/manifest.ts';
import { commandArguments, parameterOfNext, usageOf } from './command-arguments.ts';

const plan: CommandManifest = {
  name: 'plan',
  shareWithModel: false,
  parameters: [{ name: 'action', required: true }, { name: 'step' }, { name: 'text', captureRest: true }],
};

test.each([
  [['show'], { action: 'show' }],
  [['add', '2', 'a', 'b  c', 'x=y'], { action: 'add', step: '2', text: 'a b  c x=y' }],
  [['step=2', 'add', 'a'], { step: '2', action: 'add', text: 'a' }],
  [['text=all', 'add'], { text: 'all', action: 'add' }],
  [['a=b'], { action: 'a=b' }],
  [['=x'], { action: '=x' }],
  [['{"action":"show","n":1}'], { action: 'show', n: 1 }],
  [['{no'], { action: '{no' }],
  [['[1]'], { action: '[1]' }],
])('%o → %o', (words, expected) => {
  expect(commandArguments(plan, words)).toEqual(expected);
});

test('what is wrong is told with how it is used', () => {
  expect(() => commandArguments(plan, [])).toThrow(
    'Command "plan": "action" is missing. It is used like this: plan ACTION [STEP] [TEXT…]',
  );
  const bare = { name: 'stats', shareWithModel: false, parameters: [] };
  expect(() => commandArguments(bare, ['now'])).toThrow('Command "stats": no place for "now".');
  expect(usageOf(bare)).toBe('stats');
});

test('a parameter called __proto__ is one like any other', () => {
  const odd = { name: 'odd', shareWithModel: false, parameters: [{ name: '__proto__' }] };
  const made = commandArguments(odd, ['x']);
  expect(Object.keys(made)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});

test.each([
  [[], 'action'],
  [['add'], 'step'],
  [['add', '2'], 'text'],
  [['add', '2', 'a', 'b'], 'text'],
  [['step=2'], 'action'],
  [['step=2', 'add'], 'text'],
])('after %o comes %s', (words, expected) => {
  expect(parameterOfNext(plan, words)).toBe(expected);
});
