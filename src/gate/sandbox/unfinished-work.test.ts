import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Folder } from '../../fleet/trust/folder.ts';
import { dangerIn, readTree } from './unfinished-work.ts';

test.each([
  ['git-rebase-todo', 'pick 1234 x\nlabel y\n', true],
  ['git-rebase-todo', 'pick 1234 x\n exec touch y\n', false],
  ['todo', 'x\ttouch y\n', false],
  ['strategy', 'ort\n', true],
  ['strategy', 'x/run', false],
  ['apply-opt', '\n', true],
  ['apply-opt', "'--build-fake-ancestor=/tmp/x'", false],
  [
    'author-script',
    "GIT_AUTHOR_NAME='A '\\''B'\\'''\nGIT_AUTHOR_EMAIL='a@b'\nGIT_AUTHOR_DATE='@1 +0000'\n",
    true,
  ],
  ['author-script', "GIT_AUTHOR_NAME='A'$(touch x)\n", false],
  ['opts', '[options]\n\tstrategy = ort\n\tallow-ff = true\n', true],
  ['opts', '[options]\n\tstrategy = x/run\n', false],
  ['opts', '[options] strategy = x/run\n', false],
  ['opts', '[options]\n\tgpg-sign = x\n', false],
  ['head-name', 'refs/heads/main\n', true],
])('%s with %j is harmless: %s', (name, text, isHarmless) => {
  expect(dangerIn(new Map([[name, Buffer.from(text)]]))).toBe(isHarmless ? undefined : name);
});

test('a folder is read where it holds what git writes there, and not too much', () => {
  const folder = temporaryFolder({
    known: { todo: 'x' },
    'good/todo': 'x',
    'odd/run.sh': 'x',
    'deep/todo/x': 'x',
    'linked/todo': link('/etc/hostname'),
    'large/todo': (file: string) => {
      fs.writeFileSync(file, '');
      fs.truncateSync(file, 3 * 1024 ** 3);
    },
  });
  const read = (name: string) => Folder.within(folder, (above) => readTree(above, name));
  expect(read('good')).toEqual(new Map([['todo', Buffer.from('x')]]));
  expect(['odd', 'deep', 'linked', 'large'].map(read)).toEqual(Array(4).fill('unusable'));
  expect(['absent', 'known'].map(read)).toEqual(['absent', 'absent']);
  fs.mkdirSync(path.join(folder, 'bytes'));
  fs.writeFileSync(Buffer.concat([Buffer.from(path.join(folder, 'bytes/')), Buffer.from([0xff, 0xfe])]), '');
  expect(read('bytes')).toBe('unusable');
});
