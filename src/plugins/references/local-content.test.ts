import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  link,
  namedPipe,
  temporaryFolder,
  type Content as FileContent,
} from '../../../test/support/temporary-folder.ts';
import { localContent } from './local-content.ts';

function setUp(files: Readonly<Record<string, FileContent>>, roots: readonly string[] = ['project']) {
  const top = temporaryFolder(files);
  const folder = path.join(top, 'project');
  return {
    top,
    get: (given: string, maxChars = 1000) =>
      localContent(given, { folder, maxChars, roots: roots.map((root) => path.join(top, root)) }),
  };
}

describe('a file', () => {
  test('is read from where it is named, and cut with a word', async () => {
    const { get, top } = setUp({ 'project/docs/a.md': 'ä€😀😀' });
    expect(await get('docs/a.md')).toEqual({ kind: 'text', text: 'ä€😀😀' });
    expect(await get(path.join(top, 'project/docs/a.md'))).toMatchObject({ kind: 'text' });
    // Half of a character is left out.
    expect(await get('docs/a.md', 5)).toEqual({
      kind: 'text',
      text: 'ä€😀',
      cut: 'These are the first 5 of 6 characters.',
    });
  });

  test.each<[string, FileContent, string]>([
    ['not there', link('nowhere'), 'does not exist'],
    ['with a zero', 'a\0b', 'the file is binary'],
    ['in no UTF-8', new Uint8Array([0xff, 0xfe, 0x00]), 'the file is not UTF-8 text'],
    ['too large', 'x'.repeat(1024 * 1024 + 1), 'bytes; at most'],
    ['a named pipe', namedPipe(), 'the file is a named pipe'],
  ])('%s is told', async (_, content, words) => {
    const { get } = setUp({ 'project/a': content });
    expect(await get('a')).toEqual({ kind: 'none', reason: expect.stringContaining(words) as string });
  });
});

describe('what lies outside of the roots is not read', () => {
  const files = {
    'secret/key': 'the key',
    'project-other/a': 'other',
    'project/link': link('../secret/key'),
    'project/folder': link('../secret'),
    'project/inside': link('a.md'),
    'project/a.md': 'a',
  };

  test.each(['../secret/key', 'link', 'folder', 'folder/key', '../project-other/a', '/etc/passwd', '..'])(
    '%s',
    async (given) => {
      const { get } = setUp(files);
      expect(await get(given)).toEqual({
        kind: 'none',
        reason: expect.stringMatching(
          /outside of the folders that may be read; add the folder to allowed_roots/,
        ) as string,
      });
    },
  );

  test('unless its folder is one of them; links that stay inside are followed', async () => {
    expect(await setUp(files, ['project', 'secret']).get('link')).toMatchObject({ text: 'the key' });
    expect(await setUp(files).get('inside')).toMatchObject({ text: 'a' });
  });
});

describe('a folder', () => {
  test('is its text files under their names; what is left out is told', async () => {
    const { get } = setUp({
      'secret/key': 'the key',
      'project/docs/b.md': 'two\n',
      'project/docs/a/one.md': 'one',
      'project/docs/c.png': 'a\0b',
      'project/docs/.hidden': 'no',
      'project/docs/node_modules/x/readme.md': 'no',
      'project/docs/out': link('../../secret/key'),
      'project/docs/z': link('b.md'),
    });
    expect(await get('docs')).toEqual({
      kind: 'text',
      text: '--- a/one.md\none\n\n--- b.md\ntwo\n\n--- z\ntwo\n',
      cut: 'Left out: c.png (is binary).',
    });
  });

  test('is not read further than it fits', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [
        `project/docs/${String(index).padStart(3, '0')}.md`,
        'x'.repeat(50),
      ]),
    );
    const { get } = setUp(many);
    const content = await get('docs', 300);
    expect(content).toMatchObject({ kind: 'text', text: expect.stringContaining('--- 000.md') as string });
    if (content.kind !== 'text') return;
    expect(content.text.length).toBe(300);
    expect(content.cut).toMatch(
      /first 300 of \d+ characters.*more than is looked at.*005.md \(did not fit\)|first 300/s,
    );
    expect(content.cut?.length).toBeLessThan(600);
  });

  test('without text is told', async () => {
    const { get } = setUp({ 'project/docs/.keep': '' });
    expect(await get('docs')).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('no text file') as string,
    });
  });
});
