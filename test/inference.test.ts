// What an author's compiler says of a plugin on the built package: nothing when it is right, and the line when it is not.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { executeBin, root, withProject } from './support/project.ts';

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
    say: { handler: (_, { stream, config }) => stream(config.key ?? '') },
  },
  autoApprove: ['add'],
});
`;

const twins: readonly (readonly [what: string, words: string, wrong: string])[] = [
  ['an argument that is not there', 'text.toUpperCase()', 'text.toUppercase()'],
  ['an argument of another name', 'handler: ({ text }) =>', 'handler: ({ txt: text }) =>'],
  ['an argument of another type', 'sum: a + b', 'sum: a.length'],
  ['an answer of another type', '({ sum: a + b })', '({ sum: `${a + b}` })'],
  ['a setting that is not there', 'config.key?.length', 'config.kye?.length'],
  ['a setting of another type', "stream(config.key ?? '')", 'stream(config.key ?? 7)'],
  ['a tool that is not there', "autoApprove: ['add']", "autoApprove: ['sub']"],
  ['a key that is not there', "version: '1.0.0',", "version: '1.0.0', vresion: '1.0.0',"],
];

test.each([true, false])(
  'a plugin that is right compiles (exactOptionalPropertyTypes: %s)',
  async (exact) => {
    expect(await complaints({ 'plugin.ts': right }, { exactOptionalPropertyTypes: exact })).toEqual([]);
  },
);

test('what is wrong is a compile error where it stands', async () => {
  const sources = twins.map(([, words, wrong], index) => {
    expect(right).toContain(words);
    return [`twin-${index}.ts`, right.replace(words, wrong)] as const;
  });
  const told = new Set(await complaints(Object.fromEntries(sources)));
  const places = sources.map(([file, source], index) => {
    const [, , wrong = ''] = twins[index] ?? [];
    return `${file}(${source.slice(0, source.indexOf(wrong)).split('\n').length})`;
  });
  expect(told).toEqual(new Set(places));
});

/** Where the compiler finds something wrong. */
function complaints(sources: Readonly<Record<string, string>>, options: object = {}): Promise<string[]> {
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
    const { stdout } = await executeBin('@typescript/native/bin/tsc', ['-p', 'tsconfig.json'], folder);
    return [...stdout.matchAll(/^(\S+\.ts\(\d+),\d+\): error/gm)].map(([, at]) => `${at})`);
  });
}
