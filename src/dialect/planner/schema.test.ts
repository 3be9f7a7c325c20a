// Every table of the protocol reads what it writes, and no value makes it throw.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as schema from './schema.ts';
import { fromWire, schemaOf, toWire, type Shape } from '../shape.ts';

const shapes = Object.entries(schema).flatMap(([name, value]) =>
  typeof value === 'object' && 'fields' in value
    ? [[name, value as Shape<Record<string, unknown>>] as const]
    : [],
);

test('there are tables', () => {
  expect(shapes.map(([name]) => name)).toContain('taskRequest');
});

describe.each(shapes)('%s', (_, shape) => {
  const names = Object.values(shape.fields).flatMap(({ wire, type }) => (type === 'rest' ? [] : wire));

  test('nothing makes it throw, and what it takes it gives back', () => {
    const objects = fc.dictionary(fc.constantFrom(...names, 'more', 'other', '__proto__'), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(objects, fc.jsonValue()), (value) => {
        for (const manner of ['strict', 'lenient'] as const) {
          const read = fromWire(shape, value, 'it', manner);
          const again = 'value' in read ? fromWire(shape, toWire(shape, read.value), 'it', manner) : read;
          expect(again).toEqual(read);
          const { problem } = { problem: 'it is wrong; expected more', ...read };
          expect(problem).toMatch(/^it.* is .*; expected /s);
        }
      }),
    );
  });

  test('its schema names every field of the wire', () => {
    expect(Object.keys(schemaOf(shape)['properties'] as object)).toEqual(names);
  });
});

test('fields that the table does not name come back unchanged', () => {
  const wire = { code: 'x', rules: ['r'], strict: true, '__proto__.x': 1 };
  const read = fromWire(schema.codeRequest, wire, 'params', 'strict');
  expect(read).toEqual({ value: { code: 'x', rules: ['r'], more: { strict: true, '__proto__.x': 1 } } });
  expect('value' in read && toWire(schema.codeRequest, read.value)).toEqual(wire);
});

test('a member that is called like the field for all others comes back unchanged', () => {
  const wire = { code: 'x', more: { strict: true } };
  const read = fromWire(schema.codeRequest, wire, 'params', 'strict');
  expect('value' in read && toWire(schema.codeRequest, read.value)).toEqual(wire);
});

test('null counts as not there', () => {
  const read = fromWire(schema.codeRequest, { code: 'x', language: null, rules: null }, 'params', 'strict');
  expect(read).toEqual({ value: { code: 'x' } });
});

test.each([
  [{ prompt: 'x' }, 'params.task_type is missing; expected a string'],
  [{ task_type: 7, prompt: 'x' }, 'params.task_type is 7; expected a string'],
  [{ task_type: 'a', prompt: 'x', context: [] }, 'params.context is []; expected an object'],
  [
    { task_type: 'a', prompt: 'x', context: { files: [1] } },
    'params.context.files is [1]; expected an array of strings',
  ],
  [
    { task_type: 'a', prompt: 'x', options: { language: 1 } },
    'params.options.language is 1; expected a string',
  ],
])('strictly read, %j is wrong', (params, problem) => {
  expect(fromWire(schema.taskRequest, params, 'params', 'strict')).toEqual({ problem });
});

test.each([
  [{ context_type: 'file', data: {} }, 'p.action is missing; expected one of add, remove, modify'],
  [
    { action: 'drop', context_type: 'file', data: {} },
    'p.action is "drop"; expected one of add, remove, modify',
  ],
  [
    { action: 'add', context_type: 'x', data: {} },
    'p.context_type is "x"; expected one of file, dependency, state',
  ],
  [{ action: 'add', context_type: 'file', data: 1 }, 'p.data is 1; expected an object'],
])('of the fixed words %j has a wrong one', (params, problem) => {
  expect(fromWire(schema.contextUpdate, params, 'p', 'strict')).toEqual({ problem });
});

test('leniently read, what does not fit is kept, and numbers are taken for ids', () => {
  const task = { id: 1, type: 'testing', description: 'd', priority: 'high', dependencies: ['0'] };
  expect(fromWire(schema.plan, { tasks: [task], explanation: 5 }, 'the plan', 'lenient')).toEqual({
    value: {
      tasks: [
        { id: '1', type: 'testing', description: 'd', dependencies: ['0'], more: { priority: 'high' } },
      ],
      explanation: '5',
    },
  });
  expect(fromWire(schema.plan, { tasks: [{ id: 'a' }] }, 'the plan', 'lenient')).toEqual({
    problem: 'the plan.tasks[0].type is missing; expected a string',
  });
});
