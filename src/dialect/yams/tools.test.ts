import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { toolsOf } from './tools.ts';

const [extractTool] = toolsOf(undefined, [], true);
const validate = new Ajv({ strict: true, strictTypes: true }).compile(extractTool?.inputSchema ?? false);

test.each([
  { source: 'notes.md' },
  { source: { type: 'path', path: '/notes.md' } },
  { source: { type: 'bytes', data: 'QQ==' }, options: { max_functions: 3, other: [1] } },
])('extractor.extract takes %j', (args) => {
  expect(validate(args)).toBe(true);
});

test.each([
  {},
  { source: '' },
  { source: 7 },
  { source: { type: 'path' } },
  { source: { type: 'bytes', path: '/notes.md' } },
  { source: { type: 'url', path: '/notes.md' } },
  { source: 'notes.md', options: [] },
  { source: 'notes.md', options: { decompile: 'yes' } },
])('extractor.extract does not take %j', (args) => {
  expect(validate(args)).toBe(false);
});
