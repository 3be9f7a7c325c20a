import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { addToConfig, mcpJsonForm, removeFromConfig } from './edit-config.ts';

function target(text?: string, owner: 'user' | 'project' = 'project') {
  const folder = temporaryFolder(text === undefined ? {} : { '.mcp.json': text });
  const file = path.join(folder, '.mcp.json');
  return { file, owner, form: mcpJsonForm, read: () => fs.readFileSync(file, 'utf8') };
}

const entry = { dialect: 'mcp', command: 'node', args: ['a.mjs'], env: { KEY: '${KEY}' } } as const;

test('a file is made when there is none, as other clients read it', async () => {
  const { read, ...file } = target();
  expect(await addToConfig(file, [{ name: 'a', entry }])).toMatchObject({ added: ['a'], skipped: [] });
  expect(JSON.parse(read())).toEqual({
    mcpServers: { a: { type: 'stdio', command: 'node', args: ['a.mjs'], env: { KEY: '${KEY}' } } },
  });
});

const written = `{
    // of the team
    "other": { "kept": true },
    "mcpServers": {
        "My Server": { "command": "x" }, // first
        "b": { "type": "http", "url": "https://b.example" }
    }
}
`;

test('what is there stays, letter by letter', async () => {
  const { read, ...file } = target(written);
  await addToConfig(file, [{ name: 'c', entry: { url: 'https://c.example/mcp' } }]);
  expect(read()).toBe(
    written.replace(
      '"https://b.example" }\n',
      `"https://b.example" },\n        "c": {\n            "type": "http",\n            "url": "https://c.example/mcp"\n        }\n`,
    ),
  );
  await removeFromConfig(file, ['c']);
  expect(read()).toBe(written);
});

test('a server goes by its name here too, where that is another than in the file', async () => {
  const { read, ...file } = target(written);
  expect(await addToConfig(file, [{ name: 'My-Server', entry }])).toMatchObject({ added: [] });
  expect(await removeFromConfig(file, ['My-Server', 'bb'])).toMatchObject({
    removed: ['My-Server'],
    missing: [{ name: 'bb', meant: 'b' }],
  });
  expect(read()).not.toContain('My Server');
});

test('a secret is not written into a file of the project', async () => {
  const { read, ...file } = target(written);
  const secret = { ...entry, env: { GITHUB_TOKEN: 'ghp_0123456789' } };
  const { added, skipped } = await addToConfig(file, [{ name: 'c', entry: secret }]);
  expect(added).toEqual([]);
  expect(skipped).toMatchObject([{ name: 'c', wayOut: expect.stringContaining('${NAME}') as unknown }]);
  expect(read()).toBe(written);
  const own = target(written, 'user');
  fs.chmodSync(own.file, 0o644);
  await addToConfig(own, [{ name: 'c', entry: secret }]);
  expect(fs.statSync(own.file).mode & 0o777).toBe(0o600);
});

test.each(['{', '[]', '{ "mcpServers": [] }', '7'])('a file with %s is left as it is', async (text) => {
  const { read, ...file } = target(text);
  await expect(addToConfig(file, [{ name: 'c', entry }])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(removeFromConfig(file, ['c'])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(read()).toBe(text);
});

test('an entry that is none is not written', async () => {
  const { read, ...file } = target(written);
  await expect(addToConfig(file, [{ name: 'c', entry: { url: 'ftp://x' } }])).rejects.toThrow(
    '"url" is not an http address',
  );
  expect(read()).toBe(written);
});
