import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { removeMember, setMember } from './json-edit.ts';
import { readJson } from './json-reader.ts';

const config = `{
  // Ours
  "plugins": {
    "gh": { "command": "gh" }, // the first
    /* the second */
    "docs": {
      "url": "https://x", // reached
    } // last
  },

  "folders": [ "a",   "b" ]
}
`;

test('a member is put after the last one, in the manner of the file', () => {
  expect(setMember(config, ['plugins', 'new'], { command: 'x', args: ['y'] })).toBe(
    config.replace(
      `    } // last\n`,
      `    }, // last\n    "new": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n`,
    ),
  );
});

test('a member that stands there twice is gone after it is removed', () => {
  const twice = '{ "a": 1, "b": 2, /* kept */ "a": 3, "a": 4 }';
  expect(removeMember(twice, ['a'])).toBe('{ "b": 2 /* kept */ }');
  expect(removeMember(`{ "a": 1, "a": 2 }`, ['a'])).toBe('{ }');
  expect(() => removeMember(`{${'"a": 1,'.repeat(200)}}`, ['a'])).toThrow('more than 100 times');
});

test('a member is replaced where it stands', () => {
  expect(setMember(config, ['plugins', 'gh'], { command: 'other' })).toBe(
    config.replace(`{ "command": "gh" }`, `{\n      "command": "other"\n    }`),
  );
});

test.for([
  ['{}', '{\n  "plugins": {\n    "a": 1\n  }\n}'],
  ['{ "x": 1 }', '{ "x": 1, "plugins": {\n  "a": 1\n} }'],
  ['{\n\t"x": 1,\n}', '{\n\t"x": 1,\n\t"plugins": {\n\t\t"a": 1\n\t},\n}'],
  ['{\r\n    "plugins": {}\r\n}\r\n', '{\r\n    "plugins": {\r\n        "a": 1\r\n    }\r\n}\r\n'],
  ['{\n  "plugins": {\n    // none yet\n  }\n}', '{\n  "plugins": {\n    // none yet\n    "a": 1\n  }\n}'],
] as const)('what is missing on the way is made: %j', ([text, expected]) => {
  expect(setMember(text, ['plugins', 'a'], 1)).toBe(expected);
});

test('a member is taken out with its line and its comma; comments stay', () => {
  expect(removeMember(config, ['plugins', 'gh'])).toBe(
    config.replace(`    "gh": { "command": "gh" }, // the first\n`, `    // the first\n`),
  );
  expect(removeMember(config, ['plugins', 'docs'])).toBe(
    config
      .replace(`},\u0020// the first`, `} // the first`)
      .replace(/    "docs": [^]*?\n    } \/\/ last/, '    // last'),
  );
  expect(removeMember(config, ['folders'])).toBe(
    config.replace('  },\n\n  "folders": [ "a",   "b" ]\n', '  }\n\n'),
  );
});

test.for([
  ['{"a": 1}', '{}'],
  ['{"a": 1, "b": 2}', '{"b": 2}'],
  ['{"b": 2, "a": 1}', '{"b": 2 }'],
  ['{"b": 2, "a": 1,}', '{"b": 2, }'],
  ['{"b": 2}', '{"b": 2}'],
] as const)('%s without a is %s', ([text, expected]) => {
  expect(removeMember(text, ['a'])).toBe(expected);
});

test('whatever the file looks like, the edit changes that member alone and keeps every comment', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\t', '\r\n');
  const note = fc.constantFrom('', '', '/*c*/', '//c\n', ' /*c*/ ');
  const filler = fc.tuple(blank, note, blank).map((parts) => parts.join(''));
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const values = fc.constantFrom('1', '"x"', '{}', '[1, 2]', '{"y": /*c*/ 1,}', 'null');
  const members = fc.uniqueArray(fc.tuple(keys, values, filler, filler, filler, filler), {
    selector: ([key]) => key,
    maxLength: 4,
  });
  const objects = fc.tuple(filler, members, fc.boolean()).map(([first, list, lastComma]) => {
    const body = list.map(([key, value, one, two, three, four], index) => {
      const comma = index < list.length - 1 || lastComma ? `,${four}` : '';
      return `"${key}"${one}:${two}${value}${three}${comma}`;
    });
    return `{${first}${body.join('')}}`;
  });
  fc.assert(
    fc.property(objects, keys, filler, filler, (inner, key, before, after) => {
      const text = `${before}{"plugins":${inner}}${after}`;
      const old = valueOf(text) as { plugins: Record<string, unknown> };
      const { [key]: gone, ...rest } = old.plugins;

      const added = setMember(text, ['plugins', key], { command: 'x' });
      expect(valueOf(added)).toEqual({ plugins: { ...old.plugins, [key]: { command: 'x' } } });
      // A value that is replaced takes the comments inside of it along.
      expect(comments(added)).toBe(
        comments(text) - comments(JSON.stringify(gone) === '{"y":1}' ? '/*c*/' : ''),
      );

      const removed = removeMember(text, ['plugins', key]);
      expect(valueOf(removed)).toEqual({ plugins: rest });
      expect(comments(removed)).toBeGreaterThanOrEqual(
        gone === undefined ? comments(text) : comments(text) - 4,
      );
    }),
    { numRuns: runs(1000) },
  );
});

function valueOf(text: string): unknown {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) throw new Error(`${reading.reason} in ${text}`);
  return reading.root.value;
}

function comments(text: string): number {
  return text.match(/\/\*c\*\/|\/\/c/g)?.length ?? 0;
}
