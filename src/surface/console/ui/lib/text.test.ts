import { expect, test } from 'vitest';
import { diffLines, scoreOf, matching, visible } from './text.ts';

test('invisible and direction characters are written out', () => {
  expect(visible('a\u200Bb')).toBe('a\\u{200b}b');
  expect(visible('a\u202Eb')).toBe('a\\x202eb');
  expect(visible('x\u{E0041}')).toBe('x\\u{e0041}');
  expect(visible('\u3164\u2800')).toBe('\\u{3164}\\u{2800}');
  expect(visible('\u001B[31m')).toBe('\\x1b[31m');
});

test('emoji stay whole, and lone joiners are written out', () => {
  expect(visible('⚠\uFE0F 👨‍👩‍👧 🏳\uFE0F‍🌈 👩🏽‍💻')).toBe('⚠\uFE0F 👨‍👩‍👧 🏳\uFE0F‍🌈 👩🏽‍💻');
  expect(visible('a\uFE0F')).toBe('a\\u{fe0f}');
  expect(visible('👩\u200Da')).toBe('👩\\u{200d}a');
});

test('lines, tabs and letters of any language stay', () => {
  expect(visible('ä\n\tß 漢字 – é')).toBe('ä\n\tß 漢字 – é');
});

const tools = [
  { name: 'list_files', description: 'Lists what a folder holds' },
  { name: 'read_file', description: 'Reads a text' },
  { name: 'weather', description: 'The weather of a place, from a file' },
];

test('names before descriptions, and all words', () => {
  expect(matching(tools, 'file', (tool) => tool).map(({ name }) => name)).toEqual([
    'list_files',
    'read_file',
    'weather',
  ]);
  expect(matching(tools, 'file WEATHER', (tool) => tool).map(({ name }) => name)).toEqual(['weather']);
  expect(matching(tools, 'nothing', (tool) => tool)).toEqual([]);
});

test('no words fit everything', () => {
  expect(scoreOf('  ', 'x')).toBe(0);
  expect(matching(tools, '', (tool) => tool)).toHaveLength(3);
});

test('each line has a meaning', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n--- was a comment\n+new\n';
  expect(diffLines(diff).lines.map(({ kind }) => kind)).toEqual([
    'file',
    'file',
    'place',
    'same',
    'removed',
    'added',
  ]);
});

test('without a head, plus and minus count', () => {
  expect(diffLines(' a\n-b\r\n+c').lines).toEqual([
    { kind: 'same', text: ' a' },
    { kind: 'removed', text: '-b' },
    { kind: 'added', text: '+c' },
  ]);
});

test('what is too long is counted', () => {
  const { lines, omitted } = diffLines('+x\n'.repeat(2500));
  expect(lines).toHaveLength(2000);
  expect(omitted).toBe(500);
});
