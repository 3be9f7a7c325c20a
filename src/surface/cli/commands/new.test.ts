import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { ownDependency } from '../commands/new.ts';

const installed = (lock: string) =>
  path.join(
    temporaryFolder({ 'project/node_modules/.package-lock.json': lock }),
    'project/node_modules/pluglot',
  );

const lockOf = (resolved: string) => JSON.stringify({ packages: { 'node_modules/pluglot': { resolved } } });

test('a plugin that is made by a clone uses the clone', async () => {
  expect(await ownDependency('/home/ada/pluglot', '0.1.0')).toBe('file:/home/ada/pluglot');
});

test('one that is made by an installed file uses that file', async () => {
  const folder = installed(lockOf('file:../packed/pluglot-0.1.0.tgz'));
  const packed = path.resolve(folder, '../../../packed/pluglot-0.1.0.tgz');
  expect(await ownDependency(folder, '0.1.0')).toBe(`file:${packed}`);
});

test.each([
  ['the registry', lockOf('https://registry.example/pluglot-0.1.0.tgz')],
  ['nobody knows where', '{}'],
  ['a broken list', '{'],
])('from %s it is the version', async (_, lock) => {
  expect(await ownDependency(installed(lock), '0.1.0')).toBe('^0.1.0');
});
