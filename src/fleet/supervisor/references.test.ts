import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { replaceOwnReferences, replaceReferences } from './references.ts';

const sources = {
  plugin: 'gh',
  env: { TOKEN: 's3cret', EMPTY: '', HOME: '/home/me' },
  pluginFolder: '/plugins/gh',
};

test.each([
  ['plain $TOKEN text', 'plain $TOKEN text'],
  ['${TOKEN}', 's3cret'],
  ['a ${env:TOKEN} b ${TOKEN}', 'a s3cret b s3cret'],
  ['${plugin_dir}/models', '/plugins/gh/models'],
  ['${NOT_SET:-else}', 'else'],
  ['${env:NOT_SET:-}', ''],
  ['${EMPTY:-else}', 'else'],
  ['${EMPTY}', ''],
  ['$${TOKEN}', '${TOKEN}'],
])('%s becomes %s', (text, expected) => {
  expect(replaceReferences(text, 'env.X', sources)).toBe(expected);
});

test('a variable that is not set is an error that names it and the way out', () => {
  expect(() => replaceReferences('Bearer ${GITHUB_TOKEN}', 'env.AUTH', sources)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message:
        'Plugin "gh": env.AUTH refers to ${GITHUB_TOKEN}, and the variable GITHUB_TOKEN is not set. Set it, or give a default: ${GITHUB_TOKEN:-…}',
    }),
  );
});

test.each(['${}', '${two words}', '${input:token}', '${TOKEN-x}'])('%s is no reference', (text) => {
  expect(() => replaceReferences(text, 'env.X', sources)).toThrow('which is not a reference. Known are');
});

test('a file is read beside the plugin, without its last line end', () => {
  const folder = temporaryFolder({ token: 's3cret\n' });
  const here = { ...sources, pluginFolder: folder, env: { HOME: folder } };
  expect(replaceReferences('${file:token}', 'env.X', here)).toBe('s3cret');
  expect(replaceReferences(`\${file:${folder}/token}`, 'env.X', here)).toBe('s3cret');
  expect(replaceReferences('${file:~/token}', 'env.X', here)).toBe('s3cret');
  expect(() => replaceReferences('${file:none}', 'env.X', here)).toThrow(
    /env\.X refers to \$\{file:none\}, and .*none cannot be read: ENOENT/,
  );
  expect(() => replaceReferences('${file:.}', 'env.X', here)).toThrow('it is not a file');
  fs.writeFileSync(path.join(folder, 'huge'), Buffer.alloc(100_000));
  expect(() => replaceReferences('${file:huge}', 'env.X', here)).toThrow('100000 bytes');
});

test('arguments keep what may belong to a shell', () => {
  expect(replaceOwnReferences('echo ${HOME} ${plugin_dir} ${env:TOKEN}', 'args[0]', sources)).toBe(
    'echo ${HOME} /plugins/gh s3cret',
  );
  expect(() => replaceOwnReferences('${env:NO}', 'args[0]', sources)).toThrow('args[0] refers to ${env:NO}');
});

test('a default is proposed in the form that was written', () => {
  const sources = { plugin: 'gh', env: {}, pluginFolder: '/' };
  expect(() => replaceReferences('${env:MY_TOKEN}', 'env.AUTH', sources)).toThrow('${env:MY_TOKEN:-…}');
});
