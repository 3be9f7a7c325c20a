import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import { definePlugin } from './define-plugin.ts';

const handler = () => 'done';

test('tools and commands get their names, and what is left out its usual value', () => {
  const definition = definePlugin({
    name: 'sample',
    version: '1.0.0',
    tools: { greet: { description: 'Says hello', handler } },
    commands: { reset: { handler } },
    extractor: { extensions: ['md', '.txt'], extract: handler },
  });
  expect(definition).toMatchObject({
    tools: [{ name: 'greet', description: 'Says hello', inputSchema: { type: 'object' } }],
    commands: [{ name: 'reset', parameters: [], shareWithModel: false }],
    extractor: { formats: [], extensions: ['.md', '.txt'] },
    autoApprove: [],
    requires: [],
  });
});

test('a Standard Schema is shown to hosts as JSON Schema, each side as it is', () => {
  const both = z.object({ at: z.string().transform((text) => text.length), size: z.number().default(3) });
  const {
    tools: [tool],
  } = definePlugin({
    name: 'sample',
    version: '1.0.0',
    tools: { greet: { input: both, output: z.object({ at: z.number() }), handler: ({ at }) => ({ at }) } },
  });
  expect(tool?.inputSchema).toMatchObject({
    type: 'object',
    properties: { at: { type: 'string' }, size: { default: 3 } },
    required: ['at'],
  });
  expect(tool?.outputSchema).toMatchObject({ properties: { at: { type: 'number' } } });
});

test('a Standard Schema that cannot be shown still checks', async () => {
  const input = {
    '~standard': {
      version: 1 as const,
      vendor: 'sample',
      validate: async () => ({ issues: [{ message: 'too long', path: ['a', { key: 'b' }] }] }),
    },
  };
  const {
    tools: [tool],
  } = definePlugin({ name: 'sample', version: '1.0.0', tools: { greet: { input, handler } } });
  expect(tool?.inputSchema).toEqual({ type: 'object' });
  expect(await tool?.input.check({})).toEqual({ problems: ['a.b: too long'] });
});

describe('refuses, with the place and what was expected', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'A plugin cannot be defined: what was given is missing; expected an object.'],
    [
      'no name',
      { version: '1' },
      'A plugin cannot be defined: name is missing; expected a name: up to 64 letters',
    ],
    [
      'a name nobody can type',
      plugin({ name: 'a b' }),
      'Plugin "a b" cannot be defined: name is "a b"; expected a name',
    ],
    ['an empty version', plugin({ version: '' }), 'version is ""; expected a version, such as "1.0.0".'],
    [
      'a key nobody knows',
      plugin({ instrctions: '' }),
      'instrctions is not known. Did you mean "instructions"?',
    ],
    ['tools in a list', plugin({ tools: [] }), 'tools is []; expected an object.'],
    ['a tool without a handler', tool({}), 'tools.greet.handler is missing; expected a function.'],
    [
      'a key nobody knows in a tool',
      tool({ handler, inputs: {} }),
      'tools.greet.inputs is not known. Did you mean "input"?',
    ],
    [
      'a hint nobody knows',
      tool({ handler, hints: { readonly: true } }),
      'tools.greet.hints.readonly is not known. Did you mean "readOnly"?',
    ],
    [
      'a limit that is none',
      tool({ handler, timeoutMs: 0 }),
      'tools.greet.timeoutMs is 0; expected milliseconds, more than 0.',
    ],
    [
      'a tool that is none',
      plugin({ tools: { greet: handler } }),
      'tools.greet is a function; expected an object.',
    ],
    [
      'a tool nobody can name',
      plugin({ tools: { 'say hello': { handler } } }),
      'tools.say hello has a name that not every host can say',
    ],
    [
      'a schema that is none',
      tool({ handler, input: 'text' }),
      'tools.greet.input is "text"; expected a JSON Schema or a Standard Schema.',
    ],
    [
      'a schema without sense',
      tool({ handler, input: { properties: { a: { type: 'text' } } } }),
      'tools.greet.input is not a usable schema: "properties.a.type" is "text"',
    ],
    [
      'a schema of no object',
      tool({ handler, input: { type: 'string' } }),
      'tools.greet.input is not a usable schema: "type" is "string"; expected "object"',
    ],
    [
      'a reference to nothing',
      tool({ handler, output: { $ref: '#/$defs/a' } }),
      'tools.greet.output is not a usable schema: "$ref" is "#/$defs/a", where nothing is.',
    ],
    [
      'a pattern that is none',
      plugin({ config: { properties: { a: { pattern: '(' } } } }),
      'config is not a usable schema: Invalid regular expression',
    ],
    [
      'what JSON cannot carry',
      tool({ handler, input: z.object({ on: z.date() }) }),
      'tools.greet.input is not a usable schema: it cannot be written as JSON Schema: Date',
    ],
    [
      'approval of nothing',
      plugin({ tools: { greet: { handler } }, autoApprove: ['gret'] }),
      'autoApprove names "gret", which is not a tool. Did you mean "greet"?',
    ],
    [
      'a parameter twice',
      command([{ name: 'a' }, { name: 'a' }]),
      'commands.reset.parameters[1].name is "a", which another parameter is called already.',
    ],
    [
      'a rest that is not last',
      command([{ name: 'a', captureRest: true }, { name: 'b' }]),
      'commands.reset.parameters[0].captureRest is true, which leaves nothing',
    ],
    [
      'an extractor of nothing',
      plugin({ extractor: { extract: handler } }),
      'extractor takes no file at all; expected formats, extensions or supports.',
    ],
    [
      'a planner that does not plan',
      plugin({ planner: {} }),
      'planner.createPlan is missing; expected a function.',
    ],
    ['a setup that is no function', plugin({ setup: 'now' }), 'setup is "now"; expected a function.'],
  ])('%s', (_, options, message) => {
    const error = errorOf(() => definePlugin(options as never));
    expect(error).toMatchObject({ code: 'DEFINITION_INVALID' });
    expect(error).toHaveProperty('message', expect.stringContaining(message));
  });

  test('many at once, without a flood', () => {
    const tools = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, {}]));
    expect(() => definePlugin(plugin({ tools }) as never)).toThrow(/tools\.t4\.handler .* And 15 more\.$/);
  });
});

function plugin(options: Readonly<Record<string, unknown>>) {
  return { name: 'sample', version: '1.0.0', ...options };
}

function tool(options: Readonly<Record<string, unknown>>) {
  return plugin({ tools: { greet: options } });
}

function command(parameters: readonly JsonObject[]) {
  return plugin({ commands: { reset: { parameters, handler } } });
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return expect.fail('it was taken');
}
