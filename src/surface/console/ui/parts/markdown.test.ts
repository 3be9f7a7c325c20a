import fc from 'fast-check';
import { Fragment, isValidElement, type ComponentChild } from 'preact';
import { expect, test } from 'vitest';
import { markdownNodes } from './markdown.tsx';

/** The elements that would be drawn, written as HTML. */
function drawn(node: ComponentChild | readonly ComponentChild[]): string {
  if (Array.isArray(node)) return node.map((one: ComponentChild) => drawn(one)).join('');
  if (typeof node === 'string') return node.replaceAll('<', '&lt;');
  if (!isValidElement(node)) return '';
  const { type } = node;
  const { children, href, start } = node.props as {
    children?: ComponentChild;
    href?: string;
    start?: number;
  };
  if (type === Fragment) return drawn(children);
  // The components of Markdown are plain functions.
  if (typeof type === 'function') return drawn((type as (props: unknown) => ComponentChild)(node.props));
  const attributes = `${href === undefined ? '' : ` href=${href}`}${start === undefined ? '' : ` start=${start}`}`;
  return `<${type}${attributes}>${drawn(children)}</${type}>`;
}

function shown(text: string): string {
  return drawn(markdownNodes(text));
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
  expect(shown(text)).toBe(
    [
      '<h3>Title</h3>',
      '<p>First line<br></br>second <strong>line</strong></p>',
      '<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>',
      '<ol start=3><li>three</li></ol>',
      '<blockquote><p>said</p></blockquote>',
      '<pre><code>const x = "&lt;b>";</code></pre>',
      '<div><table><thead><tr><th>a</th><th>b</th></tr></thead>',
      '<tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
      '<hr></hr>',
    ].join(''),
  );
});

test('inlines', () => {
  expect(shown('a `b` **c _d_** ~~e~~')).toBe(
    '<p>a <code>b</code> <strong>c <em>d</em></strong> <s>e</s></p>',
  );
  expect(shown('snake_case_name 2 * 3 * 4')).toBe('<p>snake_case_name 2 * 3 * 4</p>');
  expect(shown('\\*not\\*')).toBe('<p>*not*</p>');
  expect(shown('- [x] done\n- [ ] open')).toBe('<ul><li>☑ done</li><li>☐ open</li></ul>');
});

test('HTML stays text', () => {
  expect(shown('<script>alert(1)</script>')).toBe('<p>&lt;script>alert(1)&lt;/script></p>');
  expect(shown('a <img src=x onerror=y> b')).toBe('<p>a &lt;img src=x onerror=y> b</p>');
});

test('only web and mail addresses are links, and images are links', () => {
  for (const address of ['javascript:alert(1)', 'data:text/html,x', '//elsewhere', '/api/v1/plugins'])
    expect(shown(`[x](${address})`)).toBe('<p><em>x</em></p>');
  expect(shown('[y](https://example.org "t")')).toBe('<p><a href=https://example.org>y</a></p>');
  expect(shown('[y](HTTPS://example.org/)')).toBe('<p><a href=HTTPS://example.org/>y</a></p>');
  expect(shown('see https://example.org/a. And')).toBe(
    '<p>see <a href=https://example.org/a>https://example.org/a</a>. And</p>',
  );
  expect(shown('![alt](https://example.org/x.png)')).toBe('<p><a href=https://example.org/x.png>alt</a></p>');
});

test('a fence without an end takes the rest; any text is read', () => {
  expect(shown('```\na\n\nb')).toBe('<pre><code>a\n\nb</code></pre>');
  const marks = fc.string({ unit: fc.constantFrom(...'*_~`[]()!#>-+|.\\ \n1ah:/<'.split('')) });
  fc.assert(
    fc.property(marks, (text) => {
      expect(typeof shown(text)).toBe('string');
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
  ['lists in lists', '* + '.repeat(45_000)],
  ['indented lists', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
  ['tables', `${'|a'.repeat(50_000)}\n|-|\n${'|\n'.repeat(40_000)}`],
  ['bold in bold', '**a'.repeat(60_000)],
  ['escapes', '\\'.repeat(190_000)],
  ['addresses', 'http://'.repeat(25_000)],
  ['lines', '- a\n\n'.repeat(40_000)],
])('%s take no long time', (_name, text) => {
  const began = performance.now();
  shown(text);
  // Quadratic work would take minutes; a busy machine takes less than this.
  expect(performance.now() - began).toBeLessThan(5000);
});
