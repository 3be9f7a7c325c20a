import { expect, test } from 'vitest';
import { recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import type { JsonSchema } from '../../definition/tool.ts';
import { OutputCheck } from './known-tools.ts';

test.each([
  ['plain', { type: 'object', required: ['a'] }, { a: 1 }, {}],
  ['with a pattern', { properties: { a: { type: 'string', pattern: '^x+$' } } }, { a: 'xx' }, { a: 'y' }],
  ['with a decimal multiple', { properties: { a: { multipleOf: 0.01 } } }, { a: 19.99 }, { a: 19.995 }],
  [
    'of an older draft',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }] } },
    },
    { a: ['x'] },
    { a: [1] },
  ],
  ['with a format', { properties: { a: { format: 'date' } } }, { a: '2024-02-29' }, { a: '2023-02-29' }],
  [
    'with a reference',
    { $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n' } } },
    { a: 1 },
    { a: '1' },
  ],
])('a schema %s', (_, schema, good, bad) => {
  const { check, troubles } = outputCheck();
  const tool = { name: 'a', outputSchema: schema };
  for (let times = 0; times < 3; times++) {
    expect(check.problemOf(tool, good)).toBeUndefined();
    expect(check.problemOf(tool, bad)).toMatch(/^data/);
  }
  expect(troubles).toEqual([]);
});

/** Each definition asks the next one twice. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, { allOf: [next, { not: { not: next } }] }];
  }),
);

test.each<[string, JsonSchema]>([
  [
    'whose references double forty times',
    { $defs: { ...doubling, d40: { minProperties: 1 } }, $ref: '#/$defs/d0' },
  ],
  ['whose pattern loses its way', { properties: { a: { pattern: '^(a+)+$' } } }],
  ['that refers to nothing', { $ref: '#/$defs/nowhere' }],
  ['that is no schema', { type: 'nonsense' }],
])('a schema %s is given up once, with a word', (_, outputSchema) => {
  const { check, troubles } = outputCheck();
  const tool = { name: 'a', outputSchema };
  for (let times = 0; times < 3; times++)
    expect(check.problemOf(tool, { a: `${'a'.repeat(60)}!` })).toBeUndefined();
  expect(troubles).toMatchObject([
    { kind: 'thrown', where: 'the output schema of "a", which is not checked from now on' },
  ]);
  check.reset();
  expect(check.problemOf({ name: 'a', outputSchema: { type: 'string' } }, 1)).toBe('data must be string');
});

test.each([true, false])('the schema %s says nothing', (outputSchema) => {
  const { check } = outputCheck();
  expect(check.problemOf({ name: 'a', outputSchema }, 1)).toBeUndefined();
});

function outputCheck() {
  const { services, told } = recordingServices();
  return { check: new OutputCheck(services), troubles: told.troubles };
}
