import fs from 'node:fs';
import { expect, test } from 'vitest';
import { link, temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import { addToConfig, type ConfigTarget, removeFromConfig } from './edit-config.ts';
import { readConfigFile } from './config-file.ts';

test('a file that is not there is made, for the eyes of its owner', async () => {
  const target = user(temporaryFolder());
  expect(await addToConfig(target, [{ name: 'gh', entry: { command: 'gh', args: ['x'] } }])).toMatchObject({
    added: ['gh'],
    skipped: [],
  });
  expect(fs.readFileSync(target.file, 'utf8')).toBe(`{
  "plugins": {
    "gh": {
      "command": "gh",
      "args": [
        "x"
      ]
    }
  }
}
`);
  expect(fs.statSync(target.file).mode & 0o777).toBe(0o600);
});

test('comments and layout stay; the file keeps its mode', async () => {
  const text = `{\n\t// mine\n\t"plugins": { "a": { "command": "x" } }, // inline\n}\n`;
  const folder = temporaryFolder({ 'pluglot.json': text });
  fs.chmodSync(`${folder}/pluglot.json`, 0o640);
  const target = project(folder);
  await addToConfig(target, [{ name: 'b', entry: { url: 'https://x' } }]);
  expect(fs.readFileSync(target.file, 'utf8')).toBe(
    `{\n\t// mine\n\t"plugins": { "a": { "command": "x" }, "b": {\n\t\t"url": "https://x"\n\t} }, // inline\n}\n`,
  );
  await removeFromConfig(target, ['b']);
  expect(fs.readFileSync(target.file, 'utf8')).toBe(text);
  expect(fs.statSync(target.file).mode & 0o777).toBe(0o640);
});

test('a dry run decides the same and writes nothing', async () => {
  const folder = temporaryFolder({ 'pluglot.json': { plugins: { a: { command: 'x' } } } });
  const before = fs.readFileSync(`${folder}/pluglot.json`, 'utf8');
  const entries = [
    { name: 'a', entry: { command: 'y' } },
    { name: 'b', entry: { command: 'y', env: { TOKEN: 'sk-secret-123' } } },
    { name: 'c', entry: { command: 'y' } },
  ];
  const dry = await addToConfig(project(folder), entries, { dryRun: true });
  expect(dry).toMatchObject({ added: ['c'], skipped: [{ name: 'a' }, { name: 'b' }] });
  expect(dry).not.toHaveProperty('after');
  expect(fs.readFileSync(`${folder}/pluglot.json`, 'utf8')).toBe(before);
  expect(await addToConfig(project(folder), entries)).toMatchObject(dry);

  const nowhere = `${temporaryFolder()}/new`;
  expect(await addToConfig(user(nowhere), entries.slice(0, 1), { dryRun: true })).toMatchObject({
    added: ['a'],
  });
  expect(fs.existsSync(nowhere)).toBe(false);
});

test.for([
  ['bad name', 'Try "bad-name".'],
  ['my__gh', 'Try "my-gh".'],
  ['gh_', 'Try "gh".'],
  ['', 'which divide plugin__tool.'],
  ['***', 'which divide plugin__tool.'],
] as const)('%o is not a name, and no line of the file is blamed', async ([name, end]) => {
  const folder = temporaryFolder();
  const adding = addToConfig(project(folder), [{ name, entry: { command: 'x' } }]);
  await expect(adding).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(adding).rejects.toThrow(`${JSON.stringify(name)} is not a name for a plugin`);
  await expect(adding).rejects.toThrow(end);
  expect(fs.existsSync(`${folder}/pluglot.json`)).toBe(false);
});

test('a name that is there is kept, unless it is to be replaced', async () => {
  const target = user(
    temporaryFolder({ 'pluglot.json': { plugins: { a: { command: 'x' }, broken: { comand: 'x' } } } }),
  );
  const entry = { command: 'y' };
  const reason = 'a plugin of this name exists already';
  const wayOut = 'Remove it first, or use --replace.';
  expect(
    await addToConfig(target, [
      { name: 'a', entry },
      { name: 'broken', entry },
    ]),
  ).toEqual({
    added: [],
    skipped: [
      { name: 'a', reason, wayOut },
      { name: 'broken', reason, wayOut },
    ],
  });
  expect(await addToConfig(target, [{ name: 'a', entry }], { replace: true })).toMatchObject({
    added: ['a'],
  });
  expect((await readConfigFile(target.file)).config?.plugins[0]?.entry).toEqual({ command: 'y' });
});

test('a secret goes into the file of the user alone, and closes it for others', async () => {
  const folder = temporaryFolder({ 'pluglot.json': '{}' });
  fs.chmodSync(`${folder}/pluglot.json`, 0o644);
  const entry = { command: 'x', env: { API_TOKEN: 'abc', LEVEL: 'info' } };
  expect(await addToConfig(project(folder), [{ name: 'a', entry }])).toEqual({
    added: [],
    skipped: [
      {
        name: 'a',
        reason: 'env.API_TOKEN looks like a secret, and the file belongs to the project',
        wayOut: 'Write ${env:NAME} instead, or put the plugin into your own configuration.',
      },
    ],
  });
  expect(fs.readFileSync(`${folder}/pluglot.json`, 'utf8')).toBe('{}');
  expect(await addToConfig(user(folder), [{ name: 'a', entry }])).toMatchObject({ added: ['a'] });
  expect(fs.statSync(`${folder}/pluglot.json`).mode & 0o777).toBe(0o600);
  const referring = { command: 'x', env: { API_TOKEN: '${env:API_TOKEN}' } };
  expect(await addToConfig(project(folder), [{ name: 'b', entry: referring }])).toMatchObject({
    added: ['b'],
  });
});

test('what is wrong is not written', async () => {
  const folder = temporaryFolder({ 'pluglot.json': '{}' });
  await expect(addToConfig(user(folder), [{ name: 'a b', entry: { command: 'x' } }])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  await expect(addToConfig(user(folder), [{ name: 'a', entry: { command: '' } }])).rejects.toThrow(
    'expected some text',
  );
  expect(fs.readFileSync(`${folder}/pluglot.json`, 'utf8')).toBe('{}');
  expect(fs.readdirSync(folder)).toEqual(['pluglot.json']);
});

test.for(['{', '[]', '{"plugins": []}'])('a file with %s is not touched', async (text) => {
  const folder = temporaryFolder({ 'pluglot.json': text });
  await expect(addToConfig(user(folder), [{ name: 'a', entry: { command: 'x' } }])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  await expect(removeFromConfig(user(folder), ['a'])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(fs.readFileSync(`${folder}/pluglot.json`, 'utf8')).toBe(text);
});

test('removing tells what was not there, and what may have been meant', async () => {
  const target = user(
    temporaryFolder({ 'pluglot.json': { plugins: { weather: { command: 'x' }, other: { command: 'y' } } } }),
  );
  expect(await removeFromConfig(target, ['other', 'wether', 'zzz'])).toMatchObject({
    removed: ['other'],
    missing: [{ name: 'wether', meant: 'weather' }, { name: 'zzz' }],
  });
});

test('a file that is kept elsewhere stays there', async () => {
  const folder = temporaryFolder({ 'dotfiles/pluglot.json': '{}' });
  writeFiles(folder, { 'config/pluglot.json': link('../dotfiles/pluglot.json') });
  await addToConfig(user(`${folder}/config`), [{ name: 'a', entry: { command: 'x' } }]);
  expect(fs.lstatSync(`${folder}/config/pluglot.json`).isSymbolicLink()).toBe(true);
  expect(fs.readFileSync(`${folder}/dotfiles/pluglot.json`, 'utf8')).toContain('"a"');
});

test('many at once lose nothing', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => addToConfig(user(folder), [{ name, entry: { command: 'x' } }])));
  const { config } = await readConfigFile(`${folder}/pluglot.json`);
  expect(config?.plugins.map(({ name }) => name).sort()).toEqual(names.toSorted());
});

function user(folder: string): ConfigTarget {
  return { file: `${folder}/pluglot.json`, owner: 'user' };
}

function project(folder: string): ConfigTarget {
  return { file: `${folder}/pluglot.json`, owner: 'project' };
}

test('what cannot be written is told, and nothing is left behind', async () => {
  const folder = temporaryFolder({ file: '' });
  await expect(
    addToConfig(user(`${folder}/file`), [{ name: 'a', entry: { command: 'x' } }]),
  ).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('could not be written (') as unknown,
  });
  expect(fs.readdirSync(folder)).toEqual(['file']);
});

test('what the file was and is can be told by its hash', async () => {
  const target = project(temporaryFolder());
  const hash = async () => {
    const read = await readConfigFile(target.file);
    return read.config?.sha256;
  };
  const first = await addToConfig(target, [{ name: 'a', entry: { command: 'a' } }]);
  expect(first).toMatchObject({ added: ['a'], after: await hash() });
  expect(first.before).toBeUndefined();
  const second = await removeFromConfig(target, ['a']);
  expect(second).toMatchObject({ before: first.after, after: await hash() });
  expect(await removeFromConfig(target, ['a'])).toEqual({ removed: [], missing: [{ name: 'a' }] });
});
