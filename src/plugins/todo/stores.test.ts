// The contract of every store, and how those on disk treat files of other programs.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Plan } from './plan.ts';
import { hybridStore, memoryStore, plansFile, plansFolder, type PlanStore } from './stores.ts';

function plan(id: string, minute: number, rest: Partial<Plan> = {}): Plan {
  return {
    plan_id: id,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    title: `Plan ${id}`,
    steps: [
      {
        step_id: `${id}-1`,
        sequence: 1,
        description: 'look',
        status: 'pending',
        started_at: null,
        completed_at: null,
        result: null,
        error: null,
      },
    ],
    status: 'active',
    started: false,
    started_at: null,
    completed_at: null,
    summary: null,
    ...rest,
  };
}

interface Opened {
  readonly store: PlanStore;
  readonly warnings: string[];
  readonly place: string;
}

type Open = (keep?: number, place?: string) => Opened;

function onDisk(name: string, make: typeof plansFile, wrap = (store: PlanStore) => store): Open {
  return (keep = 10, place = path.join(temporaryFolder(), 'deep', name)) => {
    const warnings: string[] = [];
    const options = { keep, now: () => new Date(0), warn: (message: string) => void warnings.push(message) };
    return { store: wrap(make(place, options)), warnings, place };
  };
}

const openFile = onDisk('plans.json', plansFile);
const openFolder = onDisk('plans', plansFolder);
const stores: Readonly<Record<string, Open>> = {
  memory: (keep = 10) => ({ store: memoryStore(keep), warnings: [], place: '' }),
  file: openFile,
  folder: openFolder,
  hybrid: onDisk('plans.json', plansFile, (store) => hybridStore(store)),
};

describe.each(Object.entries(stores))('%s', (_, open) => {
  test('returns what was stored, the oldest first', async () => {
    const { store } = open();
    expect(await store.all()).toEqual([]);
    expect(await store.get('a')).toBeUndefined();
    await store.change('b', () => plan('b', 2));
    await store.change('a', (before) => {
      expect(before).toBeUndefined();
      return plan('a', 1);
    });
    await store.change('b', (before) => ({ ...(before ?? plan('?', 0)), title: 'changed' }));
    expect(await store.get('b')).toEqual(plan('b', 2, { title: 'changed' }));
    expect((await store.all()).map(({ plan_id }) => plan_id)).toEqual(['a', 'b']);
  });

  test('a change that throws changes nothing', async () => {
    const { store } = open();
    await store.change('a', () => plan('a', 1));
    const refused = store.change('a', () => {
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await store.all()).toEqual([plan('a', 1)]);
  });

  test('keeps so many, and all active ones', async () => {
    const { store } = open(2);
    await store.change('a', () => plan('a', 1));
    for (const [minute, id] of ['b', 'c', 'd'].entries())
      await store.change(id, () => plan(id, minute + 2, { status: 'completed' }));
    expect((await store.all()).map(({ plan_id }) => plan_id)).toEqual(['a', 'd']);
  });
});

describe.each([
  ['file', openFile],
  ['folder', openFolder],
] as const)('%s, with others', (_, open) => {
  test('what several write at once is all there', async () => {
    const { place } = open();
    const both = [open(100, place).store, open(100, place).store] as const;
    const ids = Array.from({ length: 12 }, (_unused, index) => `plan-${index}`);
    await Promise.all(
      ids.map((id, index) =>
        (index % 2 === 0 ? both[0] : both[1]).change(id, () => plan(id, index, { summary: '0' })),
      ),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_unused, index) =>
        (index % 2 === 0 ? both[0] : both[1]).change('plan-0', (before) => ({
          ...(before ?? plan('?', 0)),
          summary: String(Number(before?.summary) + 1),
        })),
      ),
    );
    const all = await open(100, place).store.all();
    expect(all.map(({ plan_id }) => plan_id)).toEqual(ids);
    expect(all[0]?.summary).toBe('10');
    expect(fs.readdirSync(path.dirname(place)).filter((name) => /tmp|lock/.test(name))).toEqual([]);
  });

  test('other users cannot read it', async () => {
    const { store, place } = open();
    await store.change('a', () => plan('a', 1));
    const file = fs.statSync(place).isDirectory() ? path.join(place, 'a.json') : place;
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('an invalid file', () => {
  test.each([
    ['text', '{ "plans": [', 'not JSON (line 1: '],
    ['an array', '[1]', 'not an object'],
    ['no list', '{ "plans": {} }', 'without a list'],
  ])('%s: read as empty, and moved away before something is written', async (_, text, words) => {
    const { store, warnings, place } = openFile();
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
    expect(await store.all()).toEqual([]);
    expect(fs.readFileSync(place, 'utf8')).toBe(text);
    await store.change('a', () => plan('a', 1));
    const aside = `${place}.unreadable-1970-01-01T00-00-00.000Z`;
    expect(fs.readFileSync(aside, 'utf8')).toBe(text);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(words);
    expect(warnings[0]).toContain(aside);
    expect(await store.all()).toEqual([plan('a', 1)]);
  });

  test('a file of a later version, or one that cannot be read, is refused with a way to fix it', async () => {
    const { store, place } = openFile();
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, '{ "version": "2.0", "plans": [] }');
    await expect(store.change('a', () => plan('a', 1))).rejects.toThrow(
      /version is "2.0".*not changed; move it away/,
    );
    expect(fs.readFileSync(place, 'utf8')).toContain('2.0');
    fs.rmSync(place);
    fs.mkdirSync(place);
    await expect(store.all()).rejects.toThrow('is a directory');
  });

  test('other items of the list are kept unchanged', async () => {
    const { store, place } = openFile();
    fs.mkdirSync(path.dirname(place), { recursive: true });
    const strange = [{ plan_id: '../evil', title: 'x' }, 17, { ...plan('x', 1), steps: [{ step_id: 's' }] }];
    fs.writeFileSync(place, JSON.stringify({ note: 'mine', plans: [...strange, plan('a', 1)] }));
    expect(await store.all()).toEqual([plan('a', 1)]);
    await store.change('a', (before) => ({ ...(before ?? plan('?', 0)), title: 'new' }));
    expect(JSON.parse(fs.readFileSync(place, 'utf8'))).toEqual({
      note: 'mine',
      version: '1.0',
      plans: [...strange, plan('a', 1, { title: 'new' })],
    });
  });

  test('in a folder, a broken file is moved away and does not hide the others', async () => {
    const { store, warnings, place } = openFolder();
    await store.change('a', () => plan('a', 1));
    fs.writeFileSync(path.join(place, 'b.json'), 'torn');
    fs.writeFileSync(path.join(place, 'c.json'), JSON.stringify(plan('other', 1)));
    expect(await store.all()).toEqual([plan('a', 1)]);
    await store.change('b', () => plan('b', 2));
    expect(warnings[0]).toContain('not JSON');
    expect(fs.readdirSync(place).filter((name) => name.includes('unreadable'))).toHaveLength(1);
    expect(await store.get('../a')).toBeUndefined();
  });
});

test('hybrid reads known plans from memory', async () => {
  const { store: disk, place } = openFile();
  const store = hybridStore(disk);
  await store.change('a', () => plan('a', 1));
  fs.rmSync(place);
  expect(await store.get('a')).toEqual(plan('a', 1));
  expect(await store.all()).toEqual([]);
});
