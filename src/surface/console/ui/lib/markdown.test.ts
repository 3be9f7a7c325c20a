import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inlinesOf, safeAddress, type Inline } from './markdown-inline.ts';
import { markdownOf, type Block } from './markdown.ts';

function plain(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => ('text' in inline ? inline.text : 'inlines' in inline ? plain(inline.inlines) : '\n'))
    .join('');
}

test('blocks', () => {
  const text = [
    '# Title',
    '',
    'First line',
    'second **line**',
    '',
    '- one',
    '- two',
    '  - inner',
    '',
    '3. three',
    '',
    '> said',
    '',
    '```js',
    'const x = "<b>";',
    '```',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 | 3 |',
    '',
    '---',
  ].join('\n');
  const blocks = markdownOf(text);
  expect(blocks.map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'list',
    'list',
    'quote',
    'code',
    'table',
    'rule',
  ]);
  expect(blocks[2]).toMatchObject({
    isOrdered: false,
    items: [[{ kind: 'paragraph' }], [{ kind: 'paragraph' }, { kind: 'list' }]],
  });
  expect(blocks[3]).toMatchObject({ isOrdered: true, start: 3 });
  expect(blocks[5]).toEqual({ kind: 'code', language: 'js', text: 'const x = "<b>";' });
  expect(blocks[6]).toMatchObject({ rows: [[[{ text: '1' }], [{ text: '2' }]]] });
});

test('inlines', () => {
  expect(inlinesOf('a `b` **c _d_** ~~e~~')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: 'b' },
    { kind: 'text', text: ' ' },
    {
      kind: 'strong',
      inlines: [
        { kind: 'text', text: 'c ' },
        { kind: 'emphasis', inlines: [{ kind: 'text', text: 'd' }] },
      ],
    },
    { kind: 'text', text: ' ' },
    { kind: 'struck', inlines: [{ kind: 'text', text: 'e' }] },
  ]);
  expect(inlinesOf('snake_case_name 2 * 3 * 4')).toEqual([
    { kind: 'text', text: 'snake_case_name 2 * 3 * 4' },
  ]);
  expect(plain(inlinesOf('\\*not\\*'))).toBe('*not*');
});

test('only addresses that open a page or a letter are links', () => {
  expect(safeAddress('javascript:alert(1)')).toBeUndefined();
  expect(safeAddress('data:text/html,x')).toBeUndefined();
  expect(safeAddress('//elsewhere')).toBeUndefined();
  expect(safeAddress('HTTPS://example.org/')).toBe('HTTPS://example.org/');
  expect(inlinesOf('[x](javascript:alert(1)) [y](https://example.org "t")')).toMatchObject([
    { kind: 'emphasis' },
    { kind: 'text', text: ' ' },
    { kind: 'link', address: 'https://example.org' },
  ]);
  expect(inlinesOf('see https://example.org/a. And')[1]).toMatchObject({
    kind: 'link',
    address: 'https://example.org/a',
  });
  expect(inlinesOf('![alt](https://example.org/x.png)')).toMatchObject([{ kind: 'link' }]);
});

test('a fence without an end takes the rest; any text is read', () => {
  expect(markdownOf('```\na\n\nb')).toEqual([{ kind: 'code', language: '', text: 'a\n\nb' }]);
  const marks = fc.string({ unit: fc.constantFrom(...'*_~`[]()!#>-+|.\\ \n1ah:/<'.split('')) });
  fc.assert(
    fc.property(marks, (text) => {
      const blocks: Block[] = markdownOf(text);
      expect(Array.isArray(blocks)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['marks without an end', '*a '.repeat(60_000)],
  ['brackets', '['.repeat(190_000)],
  ['backticks', '`'.repeat(190_000)],
  ['quotes', '>'.repeat(190_000)],
  ['lists', '- '.repeat(95_000)],
  ['tables', `${'|a'.repeat(50_000)}\n|-|\n${'|\n'.repeat(40_000)}`],
  ['bold in bold', '**a'.repeat(60_000)],
  ['escapes', '\\'.repeat(190_000)],
  ['addresses', 'http://'.repeat(25_000)],
  ['lines', '- a\n\n'.repeat(40_000)],
])('%s take no long time', (_name, text) => {
  const began = performance.now();
  markdownOf(text);
  // Quadratic work would take minutes; a busy machine takes less than this.
  expect(performance.now() - began).toBeLessThan(5000);
});
