import { expect, test } from 'vitest';
import { argumentsOf, readArguments } from './typed-arguments.ts';

const noInput = () => Promise.reject(new Error('stdin was read'));

test.each([
  [['city=Oslo'], { city: 'Oslo' }],
  [
    ['days=3', 'metric=true', 'none=null', 'list=[1,2]', 'where={"a":1}'],
    { days: 3, metric: true, none: null, list: [1, 2], where: { a: 1 } },
  ],
  [['text=a=b', 'empty='], { text: 'a=b', empty: '' }],
  [['quoted="5"'], { quoted: '5' }],
  [[], {}],
  [['{"city":"Oslo","days":3}'], { city: 'Oslo', days: 3 }],
  [[' {"a":[]}'], { a: [] }],
])('%o', async (words, expected) => {
  expect(argumentsOf(await readArguments(words, noInput), undefined)).toEqual(expected);
});

test('what the schema calls a string stays what was typed', async () => {
  const schema = { properties: { version: { type: 'string' }, count: { type: 'integer' } } };
  const words = ['version=1.10', 'count=2', 'other=1.10'];
  expect(argumentsOf(await readArguments(words, noInput), schema)).toEqual({
    version: '1.10',
    count: 2,
    other: 1.1,
  });
  expect(argumentsOf(await readArguments(['version="1.10"'], noInput), schema)).toEqual({ version: '1.10' });
  expect(argumentsOf(await readArguments(['version=true', 'version="a'], noInput), schema)).toEqual({
    version: '"a',
  });
});

test('- reads an object from stdin', async () => {
  expect(argumentsOf(await readArguments(['-'], () => Promise.resolve('{"a":1}\n')), undefined)).toEqual({
    a: 1,
  });
});

test.each([
  [['Oslo'], '"Oslo" is not an argument.'],
  [['=Oslo'], '"=Oslo" is not an argument.'],
  [['{"a":'], 'The arguments given are not a JSON object'],
  [['city=Oslo', '{"a":1}'], 'is not an argument.'],
])('%o is refused', async (words, message) => {
  await expect(readArguments(words, noInput)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: expect.stringContaining(message) as string,
  });
});

test('no object on stdin is refused', async () => {
  await expect(readArguments(['-'], () => Promise.resolve('[1]'))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
  });
});
