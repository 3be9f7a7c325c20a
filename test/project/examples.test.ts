// Every example is what its README says: inspected and called from the terminal, line by line.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../support/markdown.ts';
import { root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';
import { temporaryReader } from './reader.ts';

const examples = fs
  .readdirSync(path.join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter(
    (name) =>
      hasPython || !/python3/.test(fs.readFileSync(path.join(root, 'examples', name, 'README.md'), 'utf8')),
  );

describe.for(examples)('%s', (name) => {
  const reader = temporaryReader();
  const lines = blocksOf(`examples/${name}/README.md`)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'));

  test('is inspected and called', () => {
    expect(lines.some((line) => line.startsWith('pluglot inspect '))).toBe(true);
    expect(lines.some((line) => line.startsWith('pluglot call '))).toBe(true);
    expect(lines.filter((line) => !line.includes(`examples/${name}/`))).toEqual([]);
  });

  test.for(lines)('%s', async (line, { expect }) => {
    const { exitCode, stdout, stderr } = await reader.type(line);
    expect(exitCode, stderr).toBe(0);
    expect(stdout.trim()).not.toBe('');
  });
});
