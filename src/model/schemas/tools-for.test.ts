import { describe, expect, test } from 'vitest';
import { declaredSchema, object, targets, tool } from '../../../test/support/model/tool-declarations.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Provider } from './declare.ts';
import { toolsFor } from './tools-for.ts';

describe('the declaration', () => {
  const simple = tool(object({ path: { type: 'string', description: 'Where.' } }, { required: ['path'] }));
  const parameters = object({ path: { type: 'string', description: 'Where.' } }, { required: ['path'] });

  test('has the shape of its provider, and needs no repair where nothing is wrong', () => {
    expect(toolsFor('anthropic', [simple])).toMatchObject({
      tools: [{ name: 'tool', description: 'A tool.', input_schema: parameters }],
      repairs: [],
      quarantined: [],
    });
    expect(toolsFor('gemini', [simple])).toMatchObject({
      tools: [
        {
          name: 'tool',
          description: 'A tool.',
          parameters: {
            type: 'OBJECT',
            properties: { path: { type: 'STRING', description: 'Where.' } },
            required: ['path'],
          },
        },
      ],
      repairs: [],
    });
    const declared = { name: 'tool', description: 'A tool.', parameters, strict: false };
    expect(toolsFor('openai', [simple]).tools).toEqual([{ type: 'function', function: declared }]);
    expect(toolsFor('openai', [simple], { api: 'responses' }).tools).toEqual([
      { type: 'function', ...declared },
    ]);
    expect(toolsFor('openai', [simple], { strict: true, api: 'responses' })).toMatchObject({
      tools: [{ parameters: { ...parameters, additionalProperties: false }, strict: true }],
      repairs: [{ where: '/inputSchema', what: '"additionalProperties": false', effect: 'narrower' }],
    });
  });

  test('of a tool without a schema, without words and without parameters', () => {
    for (const schema of [undefined, true, {}, { type: 'object' }]) {
      const bare: Tool = { name: 'bare', ...(schema !== undefined && { inputSchema: schema }) };
      expect(toolsFor('anthropic', [bare]).tools).toEqual([
        { name: 'bare', input_schema: { type: 'object', properties: {} } },
      ]);
      expect(toolsFor('gemini', [bare])).toMatchObject({
        tools: [{ name: 'bare', description: 'bare' }],
        repairs: [{ what: 'declared without parameters', effect: 'narrower' }],
      });
      expect(toolsFor('openai', [bare], { strict: true })).toMatchObject({
        tools: [{ function: { parameters: { type: 'object', properties: {} }, strict: false } }],
      });
    }
    expect(toolsFor('gemini', [tool(object({}, { additionalProperties: false }))]).repairs).toEqual([]);
  });
});

describe('names', () => {
  test('that a provider does not take are others, the same every time, and found again', () => {
    const names = [
      'ok',
      'with space',
      'with_space',
      'ünïcode',
      '1st',
      'a.b',
      'x'.repeat(200),
      '',
      '__proto__',
    ];
    for (const [provider, options, problemsOf] of targets) {
      const result = toolsFor(
        provider,
        names.map((name) => tool({}, { name })),
        options,
      );
      expect(result.tools.flatMap(problemsOf)).toEqual([]);
      expect([...result.names.values()]).toEqual(names);
      const again = toolsFor(
        provider,
        names.toReversed().map((name) => tool({}, { name })),
        options,
      );
      for (const [own, name] of result.names) expect(again.names.get(own)).toBe(name);
      expect(result.names.get('ok')).toBe('ok');
    }
    const [first] = toolsFor('openai', [tool({}, { name: 'with space' })]).names.keys();
    expect(first).toMatch(/^with_space_[0-9a-f]{20}$/);
  });

  test('never meet, also when somebody chose the name that another would get', () => {
    const [own = ''] = toolsFor('openai', [tool({}, { name: 'a b' })]).names.keys();
    for (const names of [
      ['a b', own],
      [own, 'a b'],
    ]) {
      const result = toolsFor(
        'openai',
        names.map((name) => tool({}, { name })),
      );
      expect(result.names.get(own)).toBe('a b');
      expect([...result.names.values()].toSorted()).toEqual(names.toSorted());
    }
    expect(toolsFor('openai', [tool({}), tool({})]).quarantined).toEqual([
      { tool: 'tool', reason: 'a tool before it has the same name' },
    ]);
  });

  test('of properties come back as the tool knows them', () => {
    const schema = object(
      {
        'my file': object({ 'the "name"': { type: 'string' } }, { additionalProperties: false }),
        list: { type: 'array', items: object({ 'a b': { type: 'number' } }) },
        choice: { anyOf: [object({ 'is x': { const: 1 } }, { required: ['is x'] }), { type: 'string' }] },
      },
      { required: ['my file'] },
    );
    for (const provider of ['anthropic', 'gemini'] as const) {
      const result = toolsFor(provider, [tool(schema)]);
      const declared = declaredSchema(provider, result) as {
        properties: Record<string, { properties: object }>;
      };
      const [file = ''] = Object.keys(declared.properties);
      const [inner = ''] = Object.keys(declared.properties[file]?.properties ?? {});
      expect(inner).toMatch(/^the_name_[0-9a-f]{20}$/);
      const text = JSON.stringify(declared);
      const ab = /a_b_[0-9a-f]{20}/.exec(text)?.[0] ?? '';
      const isX = /is_x_[0-9a-f]{20}/.exec(text)?.[0] ?? '';
      const one = provider === 'gemini' ? '1' : 1;
      expect(
        result.argumentsFrom('tool', {
          [file]: { [inner]: 'v' },
          list: [{ [ab]: 2 }],
          choice: { [isX]: one },
          other: 1,
        }),
      ).toEqual({ 'my file': { 'the "name"': 'v' }, list: [{ 'a b': 2 }], choice: { 'is x': 1 }, other: 1 });
    }
  });
});

describe('numbers of tools and lengths of words', () => {
  test.each<[Provider, number]>([
    ['openai', 128],
    ['gemini', 512],
  ])('%s takes %i', (provider, max) => {
    const result = toolsFor(
      provider,
      Array.from({ length: max + 2 }, (_, index) => tool({}, { name: `t${index}` })),
    );
    expect(result.tools).toHaveLength(max);
    expect(result.quarantined).toHaveLength(2);
    expect(result.quarantined[0]?.reason).toContain(`takes ${max} tools`);
  });

  test('OpenAI takes 1024 characters', () => {
    const { tools, repairs } = toolsFor('openai', [tool({}, { description: '😀'.repeat(600) })], {
      api: 'responses',
    });
    expect((tools[0] as { description: string }).description).toHaveLength(1023);
    expect(repairs.find(({ where }) => where === '/description')?.what).toBe('cut from 1200 characters');
  });
});

describe('at the top', () => {
  test('choices become one object', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      oneOf: [
        object({ file: { type: 'string' }, kind: { const: 'f' } }, { required: ['file', 'kind'] }),
        object({ url: { type: 'string' }, kind: { const: 'u' } }, { required: ['url', 'kind'] }),
      ],
    };
    const result = toolsFor('anthropic', [tool(schema)]);
    expect(result.tools[0]?.input_schema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        file: { type: 'string' },
        kind: { anyOf: [{ const: 'f' }, { const: 'u' }] },
        url: { type: 'string' },
      },
      required: ['id', 'kind'],
    });
    expect(result.repairs).toMatchObject([{ where: '/inputSchema', effect: 'both' }]);
  });

  test('allOf is merged, with what was referred to', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/base' }, object({ b: { type: 'integer' } })],
      $defs: { base: object({ a: { type: 'string' } }, { required: ['a'] }) },
    };
    expect(toolsFor('anthropic', [tool(schema)])).toMatchObject({
      tools: [
        {
          input_schema: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'integer' } },
            required: ['a'],
          },
        },
      ],
      repairs: [],
    });
  });

  test.each<[unknown, string]>([
    [{ type: 'string' }, 'no object fits'],
    [false, 'no object fits'],
    [{ anyOf: [{ type: 'string' }, false] }, 'no object fits'],
    [{ $ref: '#/$defs/nowhere' }, 'where nothing is'],
    [{ $ref: 'https://example.org/schema' }, 'only places in the same schema'],
    ['object', 'neither an object'],
    [[], 'neither an object'],
  ])('%j is quarantined alone', (schema, reason) => {
    for (const [provider, options] of targets) {
      const result = toolsFor(
        provider,
        [tool(object({})), tool(schema, { name: 'bad' }), tool(object({}), { name: 'other' })],
        options,
      );
      expect(result.tools).toHaveLength(2);
      expect(result.quarantined).toHaveLength(1);
      expect(result.quarantined[0]).toMatchObject({ tool: 'bad' });
      expect(result.quarantined[0]?.reason).toContain(reason);
    }
  });
});
