import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { typedWords } from './edit-config.ts';

const files = { 'tools/server.mjs': '', 'tools/run.sh': '', 'data/x': '' };

test('in the folder of the file they stay as they were typed', async () => {
  const folder = temporaryFolder(files);
  const words = ['./tools/run.sh', 'tools/server.mjs', '--fast', 'nowhere'];
  expect(await typedWords(words, folder, { folder, keep: 'relative' })).toEqual(words);
});

test("below a project's file, paths start where the file is", async () => {
  const folder = temporaryFolder(files);
  const words = ['node', 'server.mjs', '../data', '--x=server.mjs', 'other', '..'];
  expect(await typedWords(words, path.join(folder, 'tools'), { folder, keep: 'relative' })).toEqual([
    'node',
    'tools/server.mjs',
    'data',
    '--x=server.mjs',
    'other',
    '.',
  ]);
  expect(await typedWords(['./run.sh'], path.join(folder, 'tools'), { folder, keep: 'relative' })).toEqual([
    './tools/run.sh',
  ]);
});

test("in the user's file paths are absolute", async () => {
  const folder = temporaryFolder(files);
  const words = ['tools/run.sh', 'tools/server.mjs', '-v', 'npx', '/etc/x', ''];
  expect(await typedWords(words, folder, { folder: '/home/u/.config/pluglot', keep: 'absolute' })).toEqual([
    path.join(folder, 'tools/run.sh'),
    path.join(folder, 'tools/server.mjs'),
    '-v',
    'npx',
    '/etc/x',
    '',
  ]);
});
