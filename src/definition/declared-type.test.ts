import { expect, test } from 'vitest';
import { declaredBy } from './definition.ts';
import type { FileType } from './plan.ts';

const types = { formats: ['text/Markdown', 'image/*'], extensions: ['.md', 'TXT'] };

test.each<[FileType, ReturnType<typeof declaredBy>]>([
  [{ mimeType: 'text/markdown' }, 'mime_type'],
  [{ mimeType: 'TEXT/MARKDOWN; charset=utf-8' }, 'mime_type'],
  [{ mimeType: 'image/png' }, 'mime_type'],
  [{ mimeType: 'text/plain' }, undefined],
  [{ mimeType: 'imagery/png' }, undefined],
  [{ extension: '.MD' }, 'extension'],
  [{ extension: 'md' }, 'extension'],
  [{ extension: '.txt' }, 'extension'],
  [{ extension: '.mdx' }, undefined],
  [{ mimeType: 'application/octet-stream', extension: '.md' }, 'extension'],
  [{ mimeType: 'image/gif', extension: '.gif' }, 'mime_type'],
  [{}, undefined],
])('%j is declared by %s', (type, by) => {
  expect(declaredBy(types, type)).toBe(by);
});
