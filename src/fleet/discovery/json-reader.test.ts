import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { memberOf, nodeAt, readJson } from './json-reader.ts';

test('reads what JSON.parse reads, to the same value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
      const laidOut = JSON.stringify(JSON.parse(text), undefined, indent);
      for (const syntax of ['json', 'jsonc'] as const) {
        expect(read(laidOut, syntax).root.value).toEqual(JSON.parse(laidOut));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('takes and refuses the same texts as JSON.parse', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    '\\u00e9',
    '\\x',
    '1',
    '-',
    '0',
    '1.5e3',
    '.',
    'true',
    'nul',
    ' ',
    '\n',
    '\t',
    '\u0001',
    '/',
    '//x',
    '\ufeff',
    '"__proto__"',
    '\u2028',
    '💥',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    // A valid text with one piece put in or one character taken out.
    fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...pieces, '')).map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + piece + text.slice(cut + (piece === '' ? 1 : 0));
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const reading = readJson(text, { syntax: 'json' });
      const expected = parsed(text);
      expect(reading.ok, text).toBe(expected !== undefined);
      expect(reading.ok && reading.root.value).toEqual(expected !== undefined && expected.value);
    }),
    { numRuns: runs(3000) },
  );
});

test('with comments and last commas it reads the same value', () => {
  const filler = fc.constantFrom('', ' ', '\n', '// " , }\n', '/* ] **/', '/***/', '//\r\n');
  const commented = (value: unknown, fill: () => string): string => {
    if (Array.isArray(value))
      return `[${fill()}${value.map((item) => `${commented(item, fill)}${fill()},${fill()}`).join('')}]`;
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).map(
        ([key, item]) =>
          `${JSON.stringify(key)}${fill()}:${fill()}${commented(item, fill)}${fill()},${fill()}`,
      );
      return `{${fill()}${members.join('')}}`;
    }
    return JSON.stringify(value);
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.infiniteStream(filler), (value, fillers) => {
      const text = commented(value, () => fillers.next().value as string);
      expect(read(text, 'jsonc').root.value).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: runs(300) },
  );
});

test.for([
  ['', 1, 1, 'expected a value, found the end of the file'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected "," or "}", found text in quotes'],
  ['{\n  "a": tru\n}', 2, 8, 'expected a value, found "tru"'],
  ['{\n  a: 1\n}', 2, 3, 'expected a key in quotes or "}", found "a"'],
  ['{"a": 1,}', 1, 8, 'a comma before "}", which JSON does not allow'],
  ['[1, 2', 1, 6, 'expected "," or "]", found the end of the file'],
  ['{"a" 1}', 1, 6, 'expected ":", found "1"'],
  ['{"a": "b\n"}', 1, 7, 'text in quotes that goes over the end of its line'],
  ['{"a": "b', 1, 7, 'text in quotes without an end'],
  [String.raw`["\x"]`, 1, 3, String.raw`an escape that JSON does not know: "\\x"`],
  ['{} // done', 1, 4, 'expected the end of the file, found a comment'],
  ["{'a': 1}", 1, 2, `expected a key in quotes or "}", found "'a'"`],
] as const)('%j fails at %i:%i: %s', ([text, line, column, reason]) => {
  const reading = readJson(text, { syntax: 'json' });
  expect(reading).toEqual({ ok: false, line, column, reason });
});

test('an unclosed comment is reported where it begins', () => {
  expect(readJson('{} /* x', { syntax: 'jsonc' })).toEqual({
    ok: false,
    line: 1,
    column: 4,
    reason: 'a comment without an end',
  });
});

test('nesting has a limit, and a million brackets are refused quickly', () => {
  expect(readJson('['.repeat(1_000_000), { syntax: 'json' })).toMatchObject({
    ok: false,
    line: 1,
    column: 201,
    reason: 'nested deeper than 200 levels',
  });
  expect(readJson(`${'['.repeat(200)}${']'.repeat(200)}`, { syntax: 'json' }).ok).toBe(true);
});

test('a duplicate key is reported, and the last one counts', () => {
  const reading = read('{"a": 1, "a": 2}', 'json');
  expect(reading.root.value).toEqual({ a: 2 });
  expect(reading.duplicates.map(({ key, start }) => [key, start])).toEqual([['a', 9]]);
  expect(memberOf(reading.root, 'a')?.node.value).toBe(2);
});

test('__proto__ is a key like any other', () => {
  const reading = read('{"__proto__": {"polluted": true}}', 'json');
  expect(Object.keys(reading.root.value as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('a path leads to its value, or as far as it goes', () => {
  const text = '{\n  "plugins": {\n    "a/b": { "args": ["x", 5] }\n  }\n}';
  const reading = read(text, 'json');
  expect(nodeAt(reading.root, ['plugins', 'a/b', 'args', '1']).value).toBe(5);
  expect(nodeAt(reading.root, ['plugins', 'a/b', 'none', 'x']).value).toEqual({ args: ['x', 5] });
  const { line, start } = nodeAt(reading.root, ['plugins', 'a/b']);
  expect([line, start]).toEqual([3, text.indexOf('{ "args"')]);
});

test('offsets of every node give its own text back', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      const reading = read(text, 'json');
      const nodes = [reading.root];
      for (const node of nodes) {
        expect(JSON.parse(text.slice(node.start, node.end))).toEqual(node.value);
        nodes.push(...(node.items ?? []), ...(node.members ?? []).map((member) => member.node));
      }
    }),
    { numRuns: runs(100) },
  );
});

function read(text: string, syntax: 'json' | 'jsonc') {
  const reading = readJson(text, { syntax });
  if (!reading.ok) throw new Error(`${reading.reason}: ${text}`);
  return reading;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
