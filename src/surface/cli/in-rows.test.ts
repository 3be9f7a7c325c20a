import pc from 'picocolors';
import { expect, test } from 'vitest';
import { inRows } from './in-rows.ts';

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
