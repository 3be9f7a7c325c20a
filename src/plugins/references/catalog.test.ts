import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { namedPipe, temporaryFolder, type Content } from '../../../test/support/temporary-folder.ts';
import { trustPath } from '../../fleet/discovery/discover.ts';
import { trustStore } from '../../fleet/trust/trust-store.ts';
import { loadCatalog, type CatalogPorts } from './catalog.ts';

const file = (id: string, rest: object = {}) => ({
  sources: [{ id, name: id, type: 'inline', content: id }],
  ...rest,
});

function setUp(files: Readonly<Record<string, Content>>, rest: Partial<CatalogPorts> = {}) {
  const folder = temporaryFolder({ 'project/.keep': '', 'user/.keep': '', ...files });
  const ports: CatalogPorts = {
    env: {},
    cwd: path.join(folder, 'project'),
    configFolder: path.join(folder, 'user'),
    isTrusted: () => Promise.resolve(true),
    ...rest,
  };
  return { folder, ports, load: (config = {}) => loadCatalog(config, ports) };
}

const ids = ({ sources }: { sources: readonly { id: string }[] }) => sources.map(({ id }) => id);

describe('the first file counts', () => {
  const all = {
    'named.json': file('named'),
    'environment.json': file('environment'),
    'project/references.json': file('project'),
    'project/.references.json': file('hidden'),
    'user/references.json': file('user'),
  };

  test('in this order', async () => {
    const { folder, ports, load } = setUp(all);
    const env = { REFERENCES_CONFIG_PATH: '../environment.json' };
    expect(ids(await loadCatalog({ config_path: '../named.json' }, { ...ports, env }))).toEqual(['named']);
    expect(ids(await loadCatalog({}, { ...ports, env }))).toEqual(['environment']);
    for (const [name, id] of [
      ['project/references.json', 'project'],
      ['project/.references.json', 'hidden'],
      ['user/references.json', 'user'],
    ] as const) {
      const catalog = await load();
      expect([ids(catalog), catalog.problems]).toEqual([[id], []]);
      fs.rmSync(path.join(folder, name));
    }
    expect(await load()).toEqual({ sources: [], channel: {}, problems: [] });
  });

  test('one that is named and not there is told, and no other is taken for it', async () => {
    const { load } = setUp(all);
    const catalog = await load({ config_path: 'nowhere.json' });
    expect(ids(catalog)).toEqual([]);
    expect(catalog.problems).toEqual([expect.stringContaining('nowhere.json does not exist')]);
  });

  test('sources of the configuration come instead, the channel of the file stays', async () => {
    const { load, ports } = setUp({
      'project/references.json': file('project', { channel: { type: 'file' } }),
    });
    const catalog = await load({
      sources: [
        { id: 'own', name: 'O', type: 'local', path: 'x' },
        { id: 'bad', name: 'B' },
      ],
    });
    expect(catalog.sources).toMatchObject([{ id: 'own', folder: ports.cwd }]);
    expect(catalog.channel).toEqual({ type: 'file' });
    expect(catalog.problems).toEqual([
      'The configuration: sources[1] is left out: path is missing; expected a text',
    ]);
  });

  test('relative paths begin where the file lies; the older name of the channel is known', async () => {
    const { folder, load } = setUp({
      'user/references.json': file('u', { version: '1.0', actor: { type: 'webhook' } }),
    });
    const catalog = await load();
    expect(catalog.sources[0]?.folder).toBe(path.join(folder, 'user'));
    expect(catalog.channel).toEqual({ type: 'webhook' });
  });
});

describe('a project that is not trusted', () => {
  test('says nothing: its files are told with the way out, and the next counts', async () => {
    const asked: [string, string][] = [];
    const { folder, load, ports } = setUp(
      {
        'project/references.json': file('evil', {
          channel: { type: 'webhook', endpoint: 'https://evil.example/' },
        }),
        'project/.references.json': file('evil too'),
        'user/references.json': file('user'),
      },
      {
        isTrusted: (name, sha256) => {
          asked.push([name, sha256]);
          return Promise.resolve(false);
        },
      },
    );
    const catalog = await load();
    expect([ids(catalog), catalog.channel]).toEqual([['user'], {}]);
    expect(catalog.problems).toHaveLength(2);
    expect(catalog.problems[0]).toContain(path.join(folder, 'project/references.json'));
    expect(catalog.problems[0]).toContain(`pluglot trust add ${ports.cwd}`);
    const bytes = fs.readFileSync(path.join(folder, 'project/references.json'));
    expect(asked[0]).toEqual([
      path.join(folder, 'project/references.json'),
      createHash('sha256').update(bytes).digest('hex'),
    ]);
  });

  test('counts from `trust add` until the file changes', async () => {
    const { folder, ports } = setUp({ 'project/references.json': file('docs') });
    const store = trustStore({ file: path.join(folder, 'state/trust.json') });
    const isTrusted: CatalogPorts['isTrusted'] = async (name, sha256) => {
      const check = await store.checker();
      return (await check({ root: ports.cwd, subjects: [name], evidence: [{ file: name, sha256 }] })).trusted;
    };
    const load = () => loadCatalog({}, { ...ports, isTrusted });
    expect(ids(await load())).toEqual([]);
    await trustPath(store, '.', { cwd: ports.cwd, home: folder, env: {} });
    expect(ids(await load())).toEqual(['docs']);
    fs.writeFileSync(path.join(folder, 'project/references.json'), JSON.stringify(file('other')));
    expect(ids(await load())).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a file of the user is left out while other users can change it',
    async () => {
      const { folder, load } = setUp({ 'user/references.json': file('user'), 'named.json': file('named') });
      for (const [name, config] of [
        ['user/references.json', {}],
        ['named.json', { config_path: '../named.json' }],
      ] as const) {
        const open = path.join(folder, name);
        fs.chmodSync(open, 0o666);
        const catalog = await load(config);
        expect(catalog).toEqual({
          sources: [],
          channel: {},
          problems: [
            `${open} can be changed by other users, so the reference sources of ${open} are left out. Close it: chmod 600 ${open}`,
          ],
        });
        fs.chmodSync(open, 0o600);
        expect(ids(await load(config))).toHaveLength(1);
      }
    },
  );

  test('what the user names is the user’s own', async () => {
    const { load } = setUp(
      { 'project/mine.json': file('mine') },
      { isTrusted: () => Promise.resolve(false) },
    );
    expect(ids(await load({ config_path: 'mine.json' }))).toEqual(['mine']);
  });
});

describe('a file that cannot be used is told', () => {
  test.each<[string, Content, string]>([
    ['text', '{\n  "sources": [,\n}', 'references.json:2 is not JSON'],
    ['an array', '[]', 'is not an object with "sources"'],
    ['another version', { version: '2.0', sources: [] }, 'has the version "2.0"; expected "1.0"'],
    ['no list', { sources: 'x' }, '"sources" is "x"; expected a list'],
    ['too large', ' '.repeat(1024 * 1024 + 1), 'bytes; at most'],
    ['a named pipe', namedPipe(), 'is a named pipe'],
  ])('%s', async (_, content, words) => {
    const { load } = setUp({ 'user/references.json': content });
    const catalog = await load();
    expect(catalog.sources).toEqual([]);
    expect(catalog.problems).toEqual([expect.stringContaining(words)]);
  });

  test('comments are taken', async () => {
    const { load } = setUp({ 'user/references.json': `{ // mine\n "sources": [], }` });
    expect((await load()).problems).toEqual([]);
  });
});
