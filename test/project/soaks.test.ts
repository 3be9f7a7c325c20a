// docs/soak.md has the last result of every soak: each of them writes it there.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/project.ts';

const soaks = ['src', 'test'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.soak.ts'))
    .map((name) => path.join(folder, name)),
);

test('there are soaks', () => {
  expect(soaks.length).toBeGreaterThan(5);
});

test.each(soaks)('%s records its result', (file) => {
  expect(fs.readFileSync(path.join(root, file), 'utf8')).toMatch(/^ +recordSoak\(\{$/m);
});
