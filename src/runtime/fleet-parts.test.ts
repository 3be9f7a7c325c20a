import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { trustStore } from '../fleet/trust/trust-store.ts';
import { withOwnFolders } from './fleet-parts.ts';

test('all that really lies in an own folder is trusted, and nothing else', async () => {
  const at = fs.realpathSync(temporaryFolder({ 'app/a.mjs': '', 'app-of-others/b.mjs': '' }));
  fs.symlinkSync(path.join(at, 'app-of-others/b.mjs'), path.join(at, 'app/link.mjs'));
  const store = withOwnFolders(trustStore({ file: path.join(at, 'trust.json') }), [path.join(at, 'app')]);
  const check = await store.checker();
  const isTrusted = async (...files: string[]) => {
    const evidence = files.map((file) => ({ file: path.join(at, file) }));
    return (await check({ root: at, subjects: [], evidence })).trusted;
  };
  expect(await isTrusted('app/a.mjs')).toBe(true);
  expect(await isTrusted('app-of-others/b.mjs')).toBe(false);
  expect(await isTrusted('app/link.mjs')).toBe(false);
  expect(await isTrusted('app/a.mjs', 'app-of-others/b.mjs')).toBe(false);
  expect(await isTrusted('app/none.mjs')).toBe(false);
});

test('a link to a file of an own folder trusts nothing in the folder of the link', async () => {
  const at = fs.realpathSync(temporaryFolder({ 'app/pluglot.json': {}, 'other/x': '' }));
  fs.symlinkSync(path.join(at, 'app/pluglot.json'), path.join(at, 'other/pluglot.json'));
  const store = withOwnFolders(trustStore({ file: path.join(at, 'trust.json') }), [path.join(at, 'app')]);
  const check = await store.checker();
  const evidence = [{ file: path.join(at, 'other/pluglot.json') }];
  expect(await check({ root: path.join(at, 'other'), subjects: [], evidence })).toMatchObject({
    trusted: false,
  });
});
