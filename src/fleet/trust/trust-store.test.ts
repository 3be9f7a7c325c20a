import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { link, temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import { isInside } from './paths.ts';
import { type Claim, type Trust, type TrustStore, trustStore } from './trust-store.ts';

const project = {
  'project/pluglot.json': '{}',
  'project/plugins/a/manifest.json': '{}',
  'project/plugins/a/plugin.py': '#',
};

test('nothing is trusted at first, and the way out is a command', async () => {
  const folder = temporaryFolder(project);
  expect(await check(storeIn(folder), claimOf(folder, 'project', 'pluglot.json'))).toEqual({
    trusted: false,
    reason: `"${folder}/project" is not trusted yet`,
    wayOut: `Read it, then: pluglot trust add ${folder}/project`,
  });
});

test('what was added is trusted, as it was then', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  const claim = claimOf(folder, 'project', 'pluglot.json', 'plugins/a/plugin.py');
  await store.add(`${folder}/project`, files(claim));
  expect(await check(store, claim)).toMatchObject({ trusted: true });

  writeFiles(folder, { 'project/plugins/a/plugin.py': '# another' });
  expect(await check(store, claim)).toMatchObject({
    trusted: false,
    reason: `"${folder}/project/plugins/a/plugin.py" has changed since "${folder}/project" was trusted`,
  });
  writeFiles(folder, { 'project/plugins/a/plugin.py': '#' });
  expect(await check(store, claim)).toMatchObject({ trusted: true });
});

test('an edit of the user is followed where the file was trusted as it was, and nothing else is', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  const file = `${folder}/project/pluglot.json`;
  const claim = claimOf(folder, 'project', 'pluglot.json');
  const other = claimOf(folder, 'project', 'plugins/a/plugin.py');
  const hashes = { before: sha256('{}'), after: sha256('{ }') };
  expect(await store.follow(file, hashes)).toBe(false);
  await store.add(`${folder}/project`, [...files(claim), ...files(other)]);
  writeFiles(folder, { 'project/pluglot.json': '{ }', 'project/plugins/a/plugin.py': '# another' });
  expect(await store.follow(file, { before: sha256('something else'), after: hashes.after })).toBe(false);
  expect(await check(store, claim)).toMatchObject({ trusted: false });
  expect(await store.follow(file, hashes)).toBe(true);
  expect(await check(store, claim)).toMatchObject({ trusted: true });
  expect(await check(store, other)).toMatchObject({ trusted: false });
});

test('a file that the user has made is trusted, beside what was trusted before', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  const other = claimOf(folder, 'project', 'plugins/a/plugin.py');
  await store.add(`${folder}/project`, files(other));
  expect(await store.follow(`${folder}/project/pluglot.json`, { after: sha256('{}') })).toBe(true);
  expect(await check(store, claimOf(folder, 'project', 'pluglot.json'))).toMatchObject({ trusted: true });
  expect(await check(store, other)).toMatchObject({ trusted: true });
  expect(await check(store, claimOf(folder, 'project', 'plugins/a/manifest.json'))).toMatchObject({
    trusted: false,
  });
});

test('a file that came later is not trusted with the folder it lies in', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  await store.add(`${folder}/project`, [`${folder}/project/pluglot.json`]);
  expect(await check(store, claimOf(folder, 'project', 'pluglot.json', 'plugins/a/plugin.py'))).toMatchObject(
    {
      reason: `"${folder}/project/plugins/a/plugin.py" is new since "${folder}/project" was trusted`,
    },
  );
});

test('the bytes that were read count, not those that lie there a moment later', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  await store.add(`${folder}/project`, [`${folder}/project/pluglot.json`]);
  const evidence = [{ file: `${folder}/project/pluglot.json`, sha256: '0'.repeat(64) }];
  expect(await check(store, { root: `${folder}/project`, subjects: [], evidence })).toMatchObject({
    trusted: false,
  });
});

test('a folder whose name only begins alike is another folder', async () => {
  const folder = temporaryFolder({ 'a/b/pluglot.json': '{}', 'a/bc/pluglot.json': '{}' });
  const store = storeIn(folder);
  await store.add(`${folder}/a/b`, [`${folder}/a/b/pluglot.json`]);
  expect(await check(store, claimOf(folder, 'a/b', 'pluglot.json'))).toMatchObject({ trusted: true });
  expect(await check(store, claimOf(folder, 'a/bc', 'pluglot.json'))).toMatchObject({ trusted: false });
});

test('inside is told by component', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'ab', '..a', 'a..', '...'), { maxLength: 5 });
  fc.assert(
    fc.property(parts, parts, (folder, file) => {
      const expected = folder.every((part, index) => file[index] === part);
      expect(isInside(`/${folder.join('/')}`, `/${file.join('/')}`)).toBe(expected);
    }),
  );
});

test('a link to a trusted folder is that folder; one that leads out of it inherits nothing', async () => {
  const folder = temporaryFolder({ ...project, 'elsewhere/plugin.py': '#', alias: link('project') });
  writeFiles(folder, { 'project/plugins/b': link(`${folder}/elsewhere`) });
  const store = storeIn(folder);
  const added = await store.add(`${folder}/alias`, [
    `${folder}/alias/pluglot.json`,
    `${folder}/alias/plugins/b/plugin.py`,
  ]);
  expect(added.path).toBe(`${folder}/project`);
  expect(Object.keys(added.pins)).toEqual(['pluglot.json']);
  expect(added.outside).toEqual([
    { file: `${folder}/alias/plugins/b/plugin.py`, leadsTo: `${folder}/elsewhere/plugin.py` },
  ]);
  expect(await check(store, claimOf(folder, 'alias', 'pluglot.json'))).toMatchObject({ trusted: true });
  expect(await check(store, claimOf(folder, 'project', 'plugins/b/plugin.py'))).toEqual({
    trusted: false,
    reason: `"${folder}/project/plugins/b/plugin.py" leads to "${folder}/elsewhere/plugin.py", outside of the trusted "${folder}/project"`,
    wayOut: `Read it, then: pluglot trust add ${folder}/elsewhere/plugin.py`,
  });
});

test('a link to a trusted file trusts nothing in the folder of the link', async () => {
  const folder = temporaryFolder({ ...project, 'evil/pluglot.json': link('../project/pluglot.json') });
  const store = storeIn(folder);
  await store.add(`${folder}/project`, [`${folder}/project/pluglot.json`]);
  expect(await check(store, claimOf(folder, 'evil', 'pluglot.json'))).toEqual({
    trusted: false,
    reason: `"${folder}/evil/pluglot.json" is a link to "${folder}/project/pluglot.json", and a file is trusted only for the folder that it lies in`,
    wayOut: `Replace the link by a copy of the file, then: pluglot trust add ${folder}/evil`,
  });
});

test('nor does a link in a folder above the trusted one, or in a new folder below it', async () => {
  const folder = temporaryFolder({
    'pluglot.json': link('sub/pluglot.json'),
    'sub/pluglot.json': '{}',
    'sub/new/pluglot.json': link('../pluglot.json'),
  });
  const store = storeIn(folder);
  await store.add(`${folder}/sub`, [`${folder}/sub/pluglot.json`]);
  expect(await check(store, claimOf(folder, '', 'pluglot.json'))).toMatchObject({ trusted: false });
  expect(await check(store, claimOf(folder, 'sub/new', 'pluglot.json'))).toMatchObject({ trusted: false });
  expect(await check(store, claimOf(folder, 'sub', 'pluglot.json'))).toMatchObject({ trusted: true });
});

test('a link to a file of the same trusted folder is that file', async () => {
  const folder = temporaryFolder({ 'conf/base.json': '{}', 'pluglot.json': link('conf/base.json') });
  const store = trustStore({ file: `${temporaryFolder()}/trust.json` });
  await store.add(folder, [`${folder}/pluglot.json`]);
  expect(await check(store, claimOf(folder, '', 'pluglot.json'))).toMatchObject({ trusted: true });
});

test('of several trusted paths one that fits is enough', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  await store.add(`${folder}/project`, [`${folder}/project/plugins/a/plugin.py`]);
  writeFiles(folder, { 'project/plugins/a/plugin.py': '# newer' });
  await store.add(`${folder}/project/plugins/a`, [`${folder}/project/plugins/a/plugin.py`]);
  expect(await check(store, claimOf(folder, 'project', 'plugins/a/plugin.py'))).toMatchObject({
    trusted: true,
  });
});

test('a single file can be trusted', async () => {
  const folder = temporaryFolder({ 'plugin.py': '#' });
  const store = storeIn(folder);
  const added = await store.add(`${folder}/plugin.py`, [`${folder}/plugin.py`]);
  expect(Object.keys(added.pins)).toEqual(['.']);
  expect(await check(store, claimOf(folder, '', 'plugin.py'))).toMatchObject({ trusted: true });
});

test('removing takes the trust away, also of what is gone; what still holds it is told', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  const claim = claimOf(folder, 'project', 'pluglot.json');
  await store.add(`${folder}/project`, files(claim));
  await store.add(`${folder}/project/plugins`, []);
  expect(await store.remove(`${folder}/project/plugins`)).toEqual({
    removed: true,
    coveredBy: [`${folder}/project`],
  });
  fs.renameSync(`${folder}/project`, `${folder}/gone`);
  expect(await store.remove(`${folder}/project`)).toEqual({ removed: true, coveredBy: [] });
  expect(await store.remove(`${folder}/project`)).toEqual({ removed: false, coveredBy: [] });
  expect(await store.list()).toEqual({ trusted: [] });
});

test('the list has path, time and pins; the file is for its owner alone', async () => {
  const folder = temporaryFolder(project);
  const store = trustStore({ file: `${folder}/state/trust.json`, now: () => new Date(0) });
  await store.add(`${folder}/project`, [`${folder}/project/pluglot.json`]);
  const sha256 = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
  expect(await store.list()).toEqual({
    trusted: [
      { path: `${folder}/project`, addedAt: '1970-01-01T00:00:00.000Z', pins: { 'pluglot.json': sha256 } },
    ],
  });
  expect(fs.statSync(store.file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(`${folder}/state`).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(`${folder}/state`)).toEqual(['trust.json']);
});

test('what is not there cannot be trusted', async () => {
  const folder = temporaryFolder();
  await expect(storeIn(folder).add(`${folder}/none`, [])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `There is nothing at "${folder}/none" that could be trusted.`,
  });
});

test.for([
  ['half of it', '{"version": 1, "trus'],
  ['another version', '{"version": 2, "trusted": []}'],
  ['a relative path', '{"version": 1, "trusted": [{"path": "a", "addedAt": "", "pins": {}}]}'],
  ['a pin that is none', '{"version": 1, "trusted": [{"path": "/a", "addedAt": "", "pins": {"x": 1}}]}'],
  ['bytes', '\u0000\u0001'],
  ['nothing', ''],
] as const)('a damaged store (%s) trusts nothing, says so, and is not written over', async ([, text]) => {
  const folder = temporaryFolder(project);
  writeFiles(folder, { 'trust.json': (file: string) => fs.writeFileSync(file, text, { mode: 0o600 }) });
  const store = storeIn(folder);
  const problem = `the list of what is trusted, ${folder}/trust.json, is damaged`;
  expect(await store.list()).toEqual({ trusted: [], problem });
  expect(await check(store, claimOf(folder, 'project', 'pluglot.json'))).toEqual({
    trusted: false,
    reason: `nothing is trusted, since ${problem}`,
    wayOut: `Repair ${folder}/trust.json or move it away, then trust again.`,
  });
  await expect(store.add(`${folder}/project`, [])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(store.remove(`${folder}/project`)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(fs.readFileSync(store.file, 'utf8')).toBe(text);
});

test('a store that others may write trusts nothing', async () => {
  const folder = temporaryFolder(project);
  const store = storeIn(folder);
  const claim = claimOf(folder, 'project', 'pluglot.json');
  await store.add(`${folder}/project`, files(claim));
  fs.chmodSync(store.file, 0o666);
  expect(await check(store, claim)).toMatchObject({
    reason: `nothing is trusted, since the list of what is trusted is not safe: ${folder}/trust.json can be changed by other users (chmod 600 ${folder}/trust.json)`,
  });
});

test('nor does one in a folder that others may write, or of another user', async () => {
  const folder = temporaryFolder(project);
  const store = trustStore({ file: `${folder}/state/trust.json` });
  const claim = claimOf(folder, 'project', 'pluglot.json');
  await store.add(`${folder}/project`, files(claim));
  for (const mode of [0o777, 0o1777]) {
    fs.chmodSync(`${folder}/state`, mode);
    expect(await check(store, claim)).toMatchObject({
      reason: `nothing is trusted, since the list of what is trusted is not safe: ${folder}/state can be changed by other users (chmod go-w ${folder}/state)`,
    });
  }
  fs.chmodSync(`${folder}/state`, 0o700);
  expect(await check(store, claim)).toMatchObject({ trusted: true });
  if (process.getuid?.() !== 0) return;
  fs.chownSync(store.file, 4321, 4321);
  expect(await check(store, claim)).toMatchObject({
    reason: `nothing is trusted, since the list of what is trusted is not safe: ${store.file} belongs to another user (sudo chown 0 ${store.file})`,
  });
});

test('many writers at once lose nothing', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `project${index}`);
  const folder = temporaryFolder(Object.fromEntries(names.map((name) => [`${name}/pluglot.json`, '{}'])));
  await Promise.all(
    names.map((name) => storeIn(folder).add(`${folder}/${name}`, [`${folder}/${name}/pluglot.json`])),
  );
  const { trusted } = await storeIn(folder).list();
  expect(trusted.map((one) => path.basename(one.path)).sort()).toEqual(names.toSorted());
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('trust.json'))).toEqual(['trust.json']);
});

test('a lock that a dead process left behind is taken away', async () => {
  const folder = temporaryFolder({ ...project, 'trust.json.lock': '' });
  fs.utimesSync(`${folder}/trust.json.lock`, 0, 0);
  await storeIn(folder).add(`${folder}/project`, []);
  expect((await storeIn(folder).list()).trusted).toHaveLength(1);
});

test('names that a shell would take apart are quoted in the way out', async () => {
  const folder = temporaryFolder({ "it's a plugin/pluglot.json": '{}' });
  const trust = await check(storeIn(folder), claimOf(folder, "it's a plugin", 'pluglot.json'));
  expect(trust).toMatchObject({ wayOut: `Read it, then: pluglot trust add '${folder}/it'\\''s a plugin'` });
});

function storeIn(folder: string): TrustStore {
  return trustStore({ file: `${folder}/trust.json` });
}

async function check(store: TrustStore, claim: Claim): Promise<Trust> {
  return (await store.checker())(claim);
}

function claimOf(folder: string, root: string, ...names: string[]): Claim {
  const base = path.join(folder, root);
  return { root: base, subjects: [], evidence: names.map((name) => ({ file: path.join(base, name) })) };
}

function files(claim: Claim): string[] {
  return claim.evidence.map(({ file }) => file);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
