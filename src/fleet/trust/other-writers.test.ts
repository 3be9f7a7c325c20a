import fs from 'node:fs';
import { expect, test } from 'vitest';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { type FileKind, otherWriters } from './paths.ts';

const isRoot = process.getuid?.() === 0;
const OTHER = 4321;

test('a file of this user in folders of this user is not open', () => {
  const folder = temporaryFolder({ 'a/b/file': '' });
  expect(otherWriters(`${folder}/a/b/file`, 'state')).toBeUndefined();
  expect(otherWriters(`${folder}/a/b/file`, 'configuration')).toBeUndefined();
  expect(otherWriters(`${folder}/a/b/none`, 'state')).toBeUndefined();
});

test.for([
  // Of the user's own files others may be the group, and a shared folder is fine where no one can replace what is in it.
  ['a/b/file', 0o666, true, true],
  ['a/b/file', 0o664, false, true],
  ['a/b/file', 0o644, false, false],
  ['a/b', 0o777, true, true],
  ['a/b', 0o1777, false, true],
  ['a/b', 0o775, false, true],
  ['a', 0o777, true, true],
  ['a', 0o1777, false, false],
  ['a', 0o775, false, false],
] as const)('%s with mode %o', ([name, mode, opensConfiguration, opensState]) => {
  const folder = temporaryFolder({ 'a/b/file': '' });
  fs.chmodSync(`${folder}/${name}`, mode);
  const place = `${folder}/${name}`;
  const openPlace = (kind: FileKind) => otherWriters(`${folder}/a/b/file`, kind)?.place;
  expect(openPlace('configuration')).toBe(opensConfiguration ? place : undefined);
  expect(openPlace('state')).toBe(opensState ? place : undefined);
});

test('of a folder, the group of the one above is not asked', () => {
  const folder = temporaryFolder({ 'a/b/file': '' });
  fs.chmodSync(`${folder}/a`, 0o775);
  expect(otherWriters(`${folder}/a/b`, 'state')).toBeUndefined();
  fs.chmodSync(`${folder}/a`, 0o1777);
  expect(otherWriters(`${folder}/a/b`, 'state')).toMatchObject({ place: `${folder}/a` });
});

test('the folders of every link on the way count', () => {
  const folder = temporaryFolder({ 'a/link': link('../b/link'), 'b/link': link('../c/file'), 'c/file': '' });
  expect(otherWriters(`${folder}/a/link`, 'configuration')).toBeUndefined();
  for (const name of ['a', 'b', 'c']) {
    fs.chmodSync(`${folder}/${name}`, 0o777);
    expect(otherWriters(`${folder}/a/link`, 'configuration')).toEqual({
      place: `${folder}/${name}`,
      reason: 'can be changed by other users',
      fix: `chmod go-w ${folder}/${name}`,
    });
    fs.chmodSync(`${folder}/${name}`, 0o755);
  }
});

test.runIf(isRoot).for(['a/b/file', 'a/b', 'a'])('state in %s of another user is open', (name) => {
  const folder = temporaryFolder({ 'a/b/file': '' });
  fs.chownSync(`${folder}/${name}`, OTHER, OTHER);
  expect(otherWriters(`${folder}/a/b/file`, 'configuration')).toBeUndefined();
  expect(otherWriters(`${folder}/a/b/file`, 'state')).toEqual({
    place: `${folder}/${name}`,
    reason: 'belongs to another user',
    fix: `sudo chown 0 ${folder}/${name}`,
  });
});
