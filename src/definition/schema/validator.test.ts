import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { validator } from './validator.ts';

describe('problems are told in words an author understands', () => {
  test.each<[string, JsonObject, Json, string[]]>([
    ['a type', { type: 'string' }, 3, ['they: must be a text; got 3']],
    [
      'one of two types',
      { type: ['integer', 'null'] },
      1.5,
      ['they: must be a whole number or null; got 1.5'],
    ],
    ['a missing property', { required: ['who'] }, {}, ['who: is required']],
    [
      'a missing property that was mistyped',
      { properties: { who: {} }, required: ['who'] },
      { woh: 1 },
      ['who: is required; is "woh" meant to be it?'],
    ],
    [
      'an unknown property',
      { properties: { colour: {} }, additionalProperties: false },
      { color: 'red' },
      ['color: is not known. Did you mean "colour"?'],
    ],
    [
      'a place far inside',
      { properties: { users: { items: { properties: { name: { type: 'string' } } } } } },
      { users: [{ name: 'a' }, { name: 7 }] },
      ['users[1].name: must be a text; got 7'],
    ],
    ['one value of many', { enum: ['a', 'b'] }, 'c', ['they: must be one of "a", "b"; got "c"']],
    ['a value', { const: { a: 1 } }, { a: 2 }, ['they: must be {"a":1}; got {"a":2}']],
    ['a limit', { minimum: 3 }, 2, ['they: must be at least 3; got 2']],
    ['a limit of draft 4', { maximum: 3, exclusiveMaximum: true }, 3, ['they: must be less than 3; got 3']],
    ['a limit of later drafts', { exclusiveMinimum: 3 }, 3, ['they: must be more than 3; got 3']],
    ['a multiple', { multipleOf: 5 }, 7, ['they: must be a multiple of 5; got 7']],
    ['a length', { minLength: 2 }, '😀', ['they: must have at least 2 characters; got "😀"']],
    ['a pattern', { pattern: '^a' }, 'b', ['they: must match the pattern ^a; got "b"']],
    [
      'a secret',
      {
        properties: {
          key: { type: 'string', pattern: '^sk-', writeOnly: true },
          word: { type: 'string', minLength: 20, format: 'password' },
        },
      },
      { key: 'hunter2', word: 'hunter2' },
      [
        'key: is not what its schema asks for; it is secret, and so not shown',
        'word: is not what its schema asks for; it is secret, and so not shown',
      ],
    ],
    ['too many items', { maxItems: 1 }, [1, 2], ['they: must have at most 1 items; got 2']],
    [
      'an item twice',
      { uniqueItems: true },
      [{ a: 1, b: 2 }, 0, { b: 2, a: 1 }],
      ['they: must not have the same item twice, as at [0] and [2]'],
    ],
    [
      'what is not there',
      { contains: { const: 1 } },
      [2],
      ['they: must have at least 1 items of a certain form; has 0'],
    ],
    ['few properties', { minProperties: 1 }, {}, ['they: must have at least 1 properties; got 0']],
    [
      'a name',
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      ['ab: must have at most 1 characters; got "ab"'],
    ],
    [
      'what a property needs',
      { dependentRequired: { card: ['address'] } },
      { card: 1 },
      ['address: is required'],
    ],
    [
      'no alternative',
      { anyOf: [{ type: 'string' }, { minimum: 5 }] },
      1,
      [
        'they: fits none of the forms that it may have (they: must be a text; got 1 | they: must be at least 5; got 1)',
      ],
    ],
    [
      'two alternatives',
      { oneOf: [{}, { minimum: 0 }] },
      1,
      ['they: fits 2 of the forms that it may have, and must fit one only'],
    ],
    ['what must not be', { not: { type: 'null' } }, null, ['they: has a form that is not allowed; got null']],
    [
      'a condition',
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      { if: { minimum: 5 }, then: { multipleOf: 2 } },
      7,
      ['they: must be a multiple of 2; got 7'],
    ],
    ['nothing at all', { properties: { a: false } }, { a: 1 }, ['a: is not allowed']],
  ])('%s', (_, schema, value, problems) => {
    expect(validator(schema)(value)).toEqual({ problems });
  });

  test('few of many', () => {
    const check = validator({ items: { type: 'string' } });
    expect(check([1, 2, 3, 4, 5, 6, 7])).toMatchObject({
      problems: [
        expect.any(String),
        expect.any(String),
        expect.any(String),
        expect.any(String),
        expect.any(String),
        'and 2 more',
      ],
    });
    const many = check(Array.from({ length: 1000 }, (_, index) => index));
    expect('problems' in many && many.problems.at(-1)).toBe('and many more');
  });
});

describe('references', () => {
  const list = {
    $ref: '#/$defs/node',
    $defs: { node: { properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } } } },
  };

  test('lead to parts, also round and round', () => {
    expect(validator(list)({ value: 1, next: { value: 2, next: {} } })).toHaveProperty('value');
    expect(validator(list)({ value: 1, next: { value: '2' } })).toEqual({
      problems: ['next.value: must be a number; got "2"'],
    });
  });

  test.each(['#/$defs/none', 'other.json', '#anchor'])('%s leads nowhere', ($ref) => {
    expect(() => validator({ $ref })).toThrow(`"$ref" is "${$ref}"`);
  });

  test('names with slashes, tildes and percent signs are found', () => {
    const check = validator({ $ref: '#/$defs/a~1b~0c%25', $defs: { 'a/b~c%': { type: 'null' } } });
    expect(check(null)).toHaveProperty('value');
    expect(check(1)).toHaveProperty('problems');
  });
});

describe('defaults', () => {
  const schema = {
    properties: {
      size: { type: 'number', default: 3 },
      style: { properties: { bold: { default: false } }, default: {} },
      tags: { items: { properties: { weight: { default: 1 } } } },
    },
  };

  test('are filled in on request, also inside of each other, and leave what was given alone', () => {
    const given = { tags: [{}, { weight: 2 }] };
    expect(validator(schema, { defaults: true })(given)).toEqual({
      value: { size: 3, style: { bold: false }, tags: [{ weight: 1 }, { weight: 2 }] },
    });
    expect(given).toEqual({ tags: [{}, { weight: 2 }] });
    expect(validator(schema)(given)).toEqual({ value: given });
  });

  test('are checked like anything else, and never shared', () => {
    const check = validator({ properties: { a: { type: 'string', default: 1 } } }, { defaults: true });
    expect(check({})).toEqual({ problems: ['a: must be a text; got 1'] });
    const lists = validator({ properties: { list: { default: [] } } }, { defaults: true });
    const [one, two] = [lists({}), lists({})] as { value: { list: unknown[] } }[];
    one?.value.list.push('mine');
    expect(two?.value.list).toEqual([]);
  });

  test('come through references and allOf', () => {
    const check = validator(
      { allOf: [{ $ref: '#/$defs/sized' }], $defs: { sized: { properties: { size: { default: 1 } } } } },
      { defaults: true },
    );
    expect(check({})).toEqual({ value: { size: 1 } });
  });
});

describe('what means harm', () => {
  test('a schema that only goes round is given up', () => {
    expect(validator({ $ref: '#' })({})).toEqual({
      problems: ['they could not be checked: they are more than 400 levels deep'],
    });
    const endless = { properties: { again: { $ref: '#', default: {} } } };
    expect(validator(endless, { defaults: true })({})).toHaveProperty('problems');
  });

  test('a schema that doubles the work at every step is given up', () => {
    const $defs: Record<string, Json> = { d40: { type: 'object' } };
    for (let level = 0; level < 40; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { anyOf: [{ not: next }, { allOf: [next, { not: next }] }] };
    }
    expect(validator({ $ref: '#/$defs/d0', $defs })({})).toEqual({
      problems: ['they could not be checked: that would take too long'],
    });
  });

  test('a value of any depth is checked or refused', () => {
    let deep: Json = {};
    for (let level = 0; level < 100_000; level++) deep = { next: deep };
    expect(validator({ properties: { next: { $ref: '#' } } })(deep)).toHaveProperty('problems');
    expect(validator({ uniqueItems: true })([deep, deep])).toHaveProperty('problems');
    expect(validator({ const: { a: 1 } })(deep)).toHaveProperty('problems');
    expect(validator({ type: 'object' })(deep)).toHaveProperty('value');
  });

  test('a pattern that loses its way is interrupted', () => {
    const check = validator({ pattern: '^(a+)+$' });
    expect(check('aaaa')).toHaveProperty('value');
    expect(check(`${'a'.repeat(60)}!`)).toMatchObject({
      problems: [expect.stringContaining('could not be checked: matching the pattern ^(a+)+$ failed')],
    });
  });

  test('a schema that is too deep, or in which there is no sense, is refused at once', () => {
    let deep: Json = {};
    for (let level = 0; level < 10_000; level++) deep = { not: deep };
    expect(() => validator({ not: deep })).toThrow('more than 500 levels deep');
    expect(() => validator({ pattern: '(' })).toThrow('Invalid regular expression');
    expect(() => validator({ unevaluatedProperties: false })).toThrow(
      '"unevaluatedProperties" is not supported',
    );
  });

  test('properties that every object seems to have are not there', () => {
    expect(validator({ required: ['toString'] })({})).toHaveProperty('problems');
    const value: unknown = JSON.parse('{"__proto__": 1}');
    expect(validator({ properties: { __proto__: {} }, additionalProperties: false })(value)).toHaveProperty(
      'problems',
    );
    expect(validator({ additionalProperties: { type: 'string' } })(value)).toHaveProperty('problems');
  });
});
