// What an author's compiler says of a plugin on the built package: nothing when it is right, and the line when it is not.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { executeBin, root, withProject } from '../support/project.ts';

const right = `
import { definePlugin, tool } from 'pluglot/sdk';
import * as z from 'zod';

const shout = tool({
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text.toUpperCase(),
});

export const plugin = definePlugin({
  name: 'sample',
  version: '1.0.0',
  config: z.object({ key: z.string().optional() }),
  setup: ({ config }) => config.key?.length,
  tools: {
    shout,
    add: {
      input: z.object({ a: z.number(), b: z.number() }),
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      handler: ({ a, b }) => ({ sum: a + b }),
    },
    repeat: {
      input: {
        type: 'object',
        properties: {
          word: { type: 'string', description: 'What to repeat.' },
          times: { type: 'integer', minimum: 1, default: 2 },
          marks: { type: 'array', items: { type: 'string', enum: ['!', '?'] } },
        },
        required: ['word'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { all: { type: 'string' } }, required: ['all'] },
      handler: ({ word, times, marks = [] }) => ({ all: word.repeat(times) + marks.join('').trim() }),
    },
    say: { handler: (_, { stream, config }) => stream(config.key ?? '') },
  },
  autoApprove: ['add'],
});
`;

const twins: readonly (readonly [what: string, words: string, wrong: string])[] = [
  ['an argument that is not there', 'text.toUpperCase()', 'text.toUppercase()'],
  ['an argument of another name', 'handler: ({ text }) =>', 'handler: ({ txt: text }) =>'],
  ['an argument of another type', 'sum: a + b', 'sum: a.length'],
  ['an argument of a JSON Schema of another type', 'word.repeat(times)', 'times.repeat(word)'],
  ['an argument of a JSON Schema that may be missing', 'times, marks = [] }', 'times, marks }'],
  ['an answer of a JSON Schema of another type', '({ all: word', '({ all: times, some: word'],
  ['an answer of another type', '({ sum: a + b })', '({ sum: `${a + b}` })'],
  ['a setting that is not there', 'config.key?.length', 'config.kye?.length'],
  ['a setting of another type', "stream(config.key ?? '')", 'stream(config.key ?? 7)'],
  ['a tool that is not there', "autoApprove: ['add']", "autoApprove: ['sub']"],
  ['a key that is not there', "version: '1.0.0',", "version: '1.0.0', vresion: '1.0.0',"],
];

/** The oldest that authors are promised, and the one that this project is compiled with. */
const compilers = ['typescript-5.9/bin/tsc', '@typescript/native/bin/tsc'];

test.each(compilers)(
  'what is right compiles, and what is wrong is an error where it stands: %s',
  async (compiler) => {
    const sources = twins.map(([, words, wrong], index) => {
      expect(right).toContain(words);
      return [`twin-${index}.ts`, right.replace(words, wrong)] as const;
    });
    const told = new Set(await complaints(compiler, { 'plugin.ts': right, ...Object.fromEntries(sources) }));
    const places = sources.map(([file, source], index) => {
      const [, , wrong = ''] = twins[index] ?? [];
      return `${file}(${source.slice(0, source.indexOf(wrong)).split('\n').length})`;
    });
    expect(told).toEqual(new Set(places));
  },
);

test('what is right compiles without exactOptionalPropertyTypes', async () => {
  const options = { exactOptionalPropertyTypes: false };
  expect(await complaints('@typescript/native/bin/tsc', { 'plugin.ts': right }, options)).toEqual([]);
});

/** Where the compiler finds something wrong. */
function complaints(
  compiler: string,
  sources: Readonly<Record<string, string>>,
  options: object = {},
): Promise<string[]> {
  const tsconfig = {
    extends: './tsconfig.base.json',
    compilerOptions: { noEmit: true, types: [], ...options },
    files: Object.keys(sources),
  };
  const files = {
    ...sources,
    'package.json': '{ "name": "reader", "type": "module" }',
    'tsconfig.json': JSON.stringify(tsconfig),
  };
  return withProject(files, async (folder) => {
    const modules = path.join(folder, 'node_modules');
    fs.unlinkSync(modules);
    fs.mkdirSync(modules);
    fs.symlinkSync(root, path.join(modules, 'pluglot'));
    fs.symlinkSync(path.join(root, 'node_modules/zod'), path.join(modules, 'zod'));
    const { stdout } = await executeBin(compiler, ['-p', 'tsconfig.json'], folder);
    return [...stdout.matchAll(/^(\S+\.ts\(\d+),\d+\): error/gm)].map(([, at]) => `${at})`);
  });
}
