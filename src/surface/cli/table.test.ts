import { expect, test } from 'vitest';
import { table } from './table.ts';

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
