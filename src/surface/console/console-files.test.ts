import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { CONSOLE_POLICY, consoleFiles } from './console-files.ts';

test('gives the page and its assets under their paths, and nothing else', () => {
  const folder = temporaryFolder({
    'index.html': '<!doctype html>',
    'assets/index-1a2b.js': 'export {};',
    'assets/index-1a2b.css': 'a {}',
    'assets/icon.svg': '<svg/>',
    '.env': 'SECRET=1',
    'notes.txt': 'mine',
  });
  const files = consoleFiles(folder);
  expect([...files.keys()].sort()).toEqual([
    '/',
    '/assets/icon.svg',
    '/assets/index-1a2b.css',
    '/assets/index-1a2b.js',
  ]);
  expect(files.get('/')?.body.toString()).toBe('<!doctype html>');
});

test('every file is served with its type and with the policy; only assets are kept by browsers', () => {
  const files = consoleFiles(temporaryFolder({ 'index.html': '', 'assets/a.js': '', 'assets/a.svg': '' }));
  const header = (path: string, name: string) => files.get(path)?.headers[name];
  expect(header('/', 'content-type')).toBe('text/html; charset=utf-8');
  expect(header('/assets/a.js', 'content-type')).toBe('text/javascript; charset=utf-8');
  expect(header('/assets/a.svg', 'content-type')).toBe('image/svg+xml');
  expect(header('/', 'cache-control')).toBe('no-store');
  expect(header('/assets/a.js', 'cache-control')).toContain('immutable');
  for (const { headers } of files.values()) {
    expect(headers['content-security-policy']).toBe(CONSOLE_POLICY);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
  expect(CONSOLE_POLICY).not.toMatch(/unsafe|https?:|\*/);
});

test('a page that was not built is an error with a fix', () => {
  expect(() => consoleFiles(temporaryFolder())).toThrow(/is not built.*npm run build/);
  expect(() => consoleFiles('/not/there')).toThrow(/is not built/);
});
