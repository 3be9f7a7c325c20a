import fc from 'fast-check';
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { cutTo, inRows, table, widthOf } from './table.ts';

const plain = (text: string) => text;

test('columns are as wide as what is in them', () => {
  expect(
    table(
      [{ title: 'NAME' }, { title: 'STATE' }],
      [
        ['a-long-name', 'ready'],
        ['b', 'failed'],
      ],
      80,
      plain,
    ),
  ).toEqual(['NAME         STATE', 'a-long-name  ready', 'b            failed']);
});

test('the last column is cut to the width', () => {
  expect(table([{ title: 'N' }, { title: 'TEXT' }], [['a', 'x'.repeat(100)]], 20, plain)).toEqual([
    'N  TEXT',
    `a  ${'x'.repeat(16)}…`,
  ]);
});

test('styles do not count as width', () => {
  expect(
    table(
      [{ title: 'A', style: (text) => `<b>${text}</b>` }, { title: 'B' }],
      [
        ['a', 'b'],
        ['aa', 'b'],
      ],
      80,
      plain,
    ),
  ).toEqual(['A   B', '<b>a</b>   b', '<b>aa</b>  b']);
});

test('where there is no room columns give way in their order, and come shortened where that can be', () => {
  const columns = [
    { title: 'TIME', spare: 2, short: (cell: string) => cell.slice(0, 5) },
    { title: 'NAME' },
    { title: 'PLUGIN', spare: 1 },
    { title: 'WHY', spare: 3 },
  ];
  const rows = [['10:11:12.123', 'a-name', 'a-plugin', 'x'.repeat(30)]];
  const at = (width: number) => table(columns, rows, width, plain);
  expect(at(80)).toEqual([
    'TIME          NAME    PLUGIN    WHY',
    `10:11:12.123  a-name  a-plugin  ${'x'.repeat(30)}`,
  ]);
  expect(at(52)[1]).toBe(`10:11:12.123  a-name  a-plugin  ${'x'.repeat(19)}…`);
  expect(at(51)[1]).toBe(`10:11:12.123  a-name  ${'x'.repeat(28)}…`);
  expect(at(40)[1]).toBe(`10:11  a-name  ${'x'.repeat(24)}…`);
  expect(at(34)).toEqual(['TIME   NAME', '10:11  a-name']);
});

test('a table is never wider than the terminal, whatever is in it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ spare: fc.option(fc.nat(5), { nil: undefined }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 6 }), { maxLength: 4 }),
      fc.integer({ min: 40, max: 120 }),
      (columns, rows, width) => {
        const titled = columns.map(({ spare }, index) => ({
          title: `COLUMN ${index}`,
          ...(spare === undefined ? {} : { spare }),
        }));
        for (const line of table(titled, rows, width, plain))
          expect(widthOf(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test('characters that take two columns take two', () => {
  expect(
    table(
      [{ title: 'NAME' }, { title: 'TEXT' }],
      [
        ['日本', 'one'],
        ['abcdef', 'two'],
      ],
      80,
      plain,
    ),
  ).toEqual(['NAME    TEXT', '日本    one', 'abcdef  two']);
});

const parts = ['one', 'two', 'three', 'four'];
const options = { indent: '  ', separator: ' · ' };

test.each([
  [80, ['head  one · two · three · four']],
  [24, ['head  one · two · three', '  four']],
  [12, ['head  one', '  two', '  three', '  four']],
  [8, ['head', '  one', '  two', '  three', '  four']],
])('in %d columns', (columns, rows) => {
  expect(inRows('head  ', parts, { ...options, columns })).toEqual(rows);
});

test('colours do not count as width, and no part is the head alone', () => {
  const { red } = pc.createColors(true);
  expect(inRows('head  ', ['one', 'two'].map(red), { ...options, columns: 16 })).toEqual([
    `head  ${red('one')} · ${red('two')}`,
  ]);
  expect(inRows('head', [], { ...options, columns: 16 })).toEqual(['head']);
});

test.each([
  ['', 0],
  ['plain', 5],
  ['– … → ● ✓', 9],
  ['über', 4],
  ['日本語', 6],
  ['한국', 4],
  ['ｗ', 2],
  ['e\u0301', 1],
  ['🎲', 2],
  ['a🎲b', 4],
])('%j takes %d columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'long…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['🎲🎲', 3, '🎲…'],
  ['long', 1, '…'],
  ['long', 0, ''],
])('%j in %d columns is %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
  expect(widthOf(cut)).toBeLessThanOrEqual(width);
});
