import path from 'node:path';
import { expect, test } from 'vitest';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { leadsInto, pathOutside, placesOnTheWay } from './paths.ts';

const files = {
  'real/file': '',
  a: link('b'),
  b: link('real'),
  'real/up': link('../c/../x'),
  c: link('real'),
};

test.each([
  ['real/file', ['real/file']],
  ['real/none/deep', ['real/none/deep']],
  ['a/file', ['a', 'b', 'real/file']],
  ['a/none', ['a', 'b', 'real/none']],
  // The folder above a link is that above what it leads to.
  ['real/up', ['real/up', 'c', 'x']],
])('the way to %s', (file, way) => {
  const folder = temporaryFolder(files);
  expect(placesOnTheWay(path.join(folder, file)).map((place) => path.relative(folder, place))).toEqual(way);
});

test('links in a circle end', () => {
  const folder = temporaryFolder({ a: link('b'), b: link('a') });
  expect(placesOnTheWay(path.join(folder, 'a/file')).length).toBeLessThan(50);
});

test('what leads into a folder by any link on the way is found, and left out of a search path', () => {
  const folder = temporaryFolder({
    ...files,
    'out/bin/x': '',
    l: link('real/back'),
    'real/back': link('../out'),
  });
  const at = (name: string) => path.join(folder, name);
  const found = ['real/file', 'a/file', 'l/bin', 'out/bin'].map((name) => leadsInto([at('b')], at(name)));
  expect(found).toEqual([true, true, true, false]);
  const searchPath = [at('out/bin'), at('l/bin'), 'relative', '', at('a')].join(path.delimiter);
  expect(pathOutside(searchPath, [at('real')])).toBe(at('out/bin'));
});
