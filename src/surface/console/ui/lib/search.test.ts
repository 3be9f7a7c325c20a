import { expect, test } from 'vitest';
import { fitOf, found } from './search.ts';

const tools = [
  { name: 'list_files', description: 'Lists what a folder holds' },
  { name: 'read_file', description: 'Reads a text' },
  { name: 'weather', description: 'The weather of a place, from a file' },
];

test('names before descriptions, and all words', () => {
  expect(found(tools, 'file', (tool) => tool).map(({ name }) => name)).toEqual([
    'list_files',
    'read_file',
    'weather',
  ]);
  expect(found(tools, 'file WEATHER', (tool) => tool).map(({ name }) => name)).toEqual(['weather']);
  expect(found(tools, 'nothing', (tool) => tool)).toEqual([]);
});

test('no words fit everything', () => {
  expect(fitOf('  ', 'x')).toBe(0);
  expect(found(tools, '', (tool) => tool)).toHaveLength(3);
});
