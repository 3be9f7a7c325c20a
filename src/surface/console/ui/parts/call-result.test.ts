import { expect, test } from 'vitest';
import { bytesOf, isMediaAlone, mediaIn } from './call-result.tsx';

const png = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };

test('finds what an MCP server answers with', () => {
  const parts = mediaIn([
    png,
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav; rate=8000' },
    {
      type: 'resource',
      resource: { uri: 'file:///a/b/report.pdf', blob: 'AAAA', mimeType: 'application/pdf' },
    },
    { type: 'resource', resource: { uri: 'x:text', text: 'words' } },
  ]);
  expect(parts.map(({ kind, type, name, size }) => [kind, type, name, size])).toEqual([
    ['image', 'image/png', 'result-1.png', 8],
    ['audio', 'audio/wav', 'result-2.wav', 4],
    ['file', 'application/pdf', 'report.pdf', 3],
  ]);
  expect(isMediaAlone([png])).toBe(true);
  expect(isMediaAlone([png, 'x'])).toBe(false);
});

test('only images become images, and no other data becomes an address', () => {
  expect(mediaIn({ type: 'image', data: '"><script>', mimeType: 'image/png' })).toEqual([]);
  expect(mediaIn({ type: 'image', data: 5 })).toEqual([]);
  expect(mediaIn({ ...png, mimeType: 'text/html' })).toMatchObject([{ kind: 'file', name: 'result-1.bin' }]);
  expect(mediaIn({ blob: 'AAAA', uri: 'x/../../etc/passwd\u202Egnp' })).toMatchObject([
    { name: 'result-1.bin' },
  ]);
  expect(mediaIn(undefined)).toEqual([]);
});

test('very many blanks do not stop the page, and a few are none of it', () => {
  const began = performance.now();
  expect(mediaIn({ ...png, data: `${' '.repeat(400_000)}!` })).toEqual([]);
  expect(mediaIn({ ...png, data: ' '.repeat(400_000) })).toEqual([]);
  expect(performance.now() - began).toBeLessThan(2000);
  expect(mediaIn({ ...png, data: ' iVBO\r\nRw0K\nGgo=\n' })).toMatchObject([{ data: png.data, size: 8 }]);
});

test('only so many are looked for', () => {
  expect(mediaIn(Array.from({ length: 100 }, () => png))).toHaveLength(20);
  expect(mediaIn(Array.from({ length: 100_000 }, (_, index) => index))).toEqual([]);
});

test('base64 becomes bytes', () => {
  expect([...bytesOf('AQID\n')]).toEqual([1, 2, 3]);
  expect([...bytesOf('-_8')]).toEqual([251, 255]);
  expect(() => bytesOf('%')).toThrow(/decoded|encoded|invalid/i);
});
