import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { link, namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { leftoversOf, removeFolder } from '../supervisor/folders.ts';
import { Folder, givingWay, readText } from './folder.ts';
import { makePlaceholder, placeholderId } from './placeholders.ts';

const onLinux = process.platform === 'linux';

describe.runIf(onLinux)('a held folder that another program exchanges for a link', () => {
  test('is read, listed and changed as what was opened', () => {
    const { folder, inside, outside } = exchanged({ file: 'inside', old: '' }, { file: 'outside', old: '' });
    expect(folder.names().toSorted()).toEqual(['file', 'old']);
    expect(contentOf(folder, 'file')).toBe('inside');
    folder.write('new', 'x');
    folder.replace('file', 'y');
    folder.make('made');
    folder.removeEmpty('made');
    folder.rename('new', 'renamed');
    folder.remove('old');
    expect(fs.readdirSync(outside).toSorted()).toEqual(['file', 'old']);
    expect(fs.readFileSync(path.join(outside, 'file'), 'utf8')).toBe('outside');
    expect(fs.readdirSync(inside).toSorted()).toEqual(['file', 'renamed']);
  });

  test('gets placeholders at its own place', () => {
    const { folder, place, inside, outside } = exchanged({}, {});
    const id = placeholderId();
    expect(makePlaceholder(folder, path.join(place, 'x'), id, () => {})).toBe(true);
    expect(fs.readdirSync(path.join(inside, 'x'))).toEqual([id]);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  test('is removed while another program exchanges folders in it', async () => {
    const names = Array.from({ length: 600 }, (_, index) => String(index));
    const place = temporaryFolder(Object.fromEntries(names.map((name) => [`tree/d/${name}`, ''])));
    const outside = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
    const folder = Folder.open(place);
    onTestFinished(() => folder.close());
    const steps = folder.removeTree('tree');
    steps.next();
    fs.renameSync(path.join(place, 'tree/d'), path.join(place, 'tree/moved'));
    fs.symlinkSync(outside, path.join(place, 'tree/d'));
    await givingWay(steps);
    await removeFolder(path.join(place, 'tree'));
    expect(fs.readdirSync(place)).toEqual([]);
    expect(fs.readdirSync(outside)).toHaveLength(600);
  });

  test('is not where an empty folder of a program is removed', async () => {
    const { place, outside } = exchanged({}, {});
    fs.mkdirSync(path.join(outside, 'empty'));
    const leftovers = leftoversOf(path.join(temporaryFolder(), 'program'));
    leftovers.record([path.join(place, 'empty')]);
    await leftovers.remove();
    expect(fs.readdirSync(outside)).toEqual(['empty']);
  });
});

describe('a held folder', () => {
  test('is not opened through a link', () => {
    const place = temporaryFolder({ 'real/deep/file': '', way: link('real') });
    expect(() => Folder.open(path.join(place, 'way', 'deep'))).toThrow('ENOTDIR');
    expect(Folder.within(path.join(place, 'way'), () => true)).toBeUndefined();
    expect(Folder.within(path.join(place, 'real', 'deep'), (folder) => folder.names())).toEqual(['file']);
  });

  test('reads regular files alone, and not too much of them', () => {
    const place = temporaryFolder({
      file: 'text',
      linked: link('file'),
      pipe: namedPipe(),
      'folder/x': '',
      large: (file: string) => {
        fs.writeFileSync(file, '');
        fs.truncateSync(file, 3 * 1024 ** 3);
      },
    });
    const read = (name: string) => Folder.within(place, (folder) => folder.read(name, 100));
    expect(['linked', 'pipe', 'folder', 'large', 'absent'].map(read)).toEqual([
      'not-a-file',
      'not-a-file',
      'not-a-file',
      'too-large',
      'absent',
    ]);
    expect(readText(path.join(place, 'file'))).toBe('text');
    expect(readText(path.join(place, 'linked'))).toBe('text');
    for (const name of ['pipe', 'folder', 'absent']) expect(readText(path.join(place, name))).toBe('');
    expect(() => readText(path.join(place, 'large'))).toThrow('is larger than');
  });

  test('makes files, and puts them in the place of links instead of following these', () => {
    const place = temporaryFolder({ target: 'kept', linked: link('target') });
    Folder.within(place, (folder) => {
      expect(() => folder.write('linked', 'x')).toThrow('EEXIST');
      folder.replace('linked', 'x', { mode: 0o600 });
    });
    expect(fs.readFileSync(path.join(place, 'target'), 'utf8')).toBe('kept');
    expect(fs.lstatSync(path.join(place, 'linked')).mode & 0o7777).toBe(0o600);
    expect(fs.readdirSync(place).toSorted()).toEqual(['linked', 'target']);
  });

  test.each(['', '.', '..', 'a/b', '../x', 'a\0b'])('takes no name like %j', (name) => {
    Folder.within(temporaryFolder(), (folder) => {
      expect(() => folder.stat(name)).toThrow('is not the name of a file');
    });
  });

  test.runIf(onLinux)('removes what has a name that is not UTF-8', () => {
    const place = temporaryFolder({ 'tree/x': '' });
    const odd = Buffer.from([0xff, 0xfe]);
    fs.symlinkSync('x', Buffer.concat([Buffer.from(path.join(place, 'tree/')), odd]));
    Folder.within(place, (folder) => {
      const names = folder.inside('tree', (tree) =>
        [...tree.entries()].map(({ name }) => name.toString('hex')),
      );
      expect(names?.toSorted()).toEqual(['78', 'fffe']);
      for (const _ of folder.removeTree('tree'));
    });
    expect(fs.readdirSync(place)).toEqual([]);
  });
});

/** A folder that was moved away after it was opened; a link to another one is in its place. */
function exchanged(files: Record<string, string>, others: Record<string, string>) {
  const place = temporaryFolder(files);
  const outside = temporaryFolder(others);
  const inside = `${place}-moved`;
  const folder = Folder.open(place);
  fs.renameSync(place, inside);
  fs.symlinkSync(outside, place);
  onTestFinished(() => {
    folder.close();
    fs.rmSync(inside, { recursive: true, force: true });
  });
  return { folder, place, inside, outside };
}

function contentOf(folder: Folder, name: string): string {
  const found = folder.read(name, 1000);
  return typeof found === 'string' ? found : found.bytes.toString();
}
