import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { asCommandLine, asCurl, asTypeScript } from './copy-call.tsx';

/** The words that a real shell makes of a line whose first word is a program. */
function wordsOf(line: string): string[] {
  const text = execFileSync('/bin/sh', ['-c', `${line.split(' ')[0]}() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: 'utf8',
    env: { PLUGLOT_TOKEN: 'of-the-environment' },
  });
  return text.split('\0').slice(0, -1);
}

test('a shell reads the words that were meant', () => {
  const hostile = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(hostile, fc.dictionary(hostile, hostile, { minKeys: 1 }), (tool, args) => {
      const words = wordsOf(asCommandLine(tool, args));
      expect(words).toEqual(['call', tool, JSON.stringify(args)]);
    }),
    { numRuns: 40 },
  );
});

test('no arguments are no word', () => {
  expect(asCommandLine('echo', {})).toBe('pluglot call echo');
});

test('curl gets the body as it is, and the token from the environment', () => {
  const line = asCurl('http://127.0.0.1:4000', `it's/odd`, { text: `@/etc/passwd 'quoted' $HOME` });
  const words = wordsOf(line);
  expect(words).toContain("http://127.0.0.1:4000/api/v1/tools/it's%2Fodd/call");
  expect(words).toContain('Authorization: Bearer of-the-environment');
  expect(words.at(-2)).toBe('--data-raw');
  expect(words.at(-1)).toBe(`{"args":{"text":"@/etc/passwd 'quoted' $HOME"}}`);
  expect(line).not.toContain('of-the-environment');
});

test('TypeScript keeps a key that would be the prototype', () => {
  const args = JSON.parse(`{ "__proto__": { "a": 1 }, "b\\"__proto__\\"": 2 }`) as Record<string, number>;
  const text = asTypeScript('http://127.0.0.1:4000', 'echo', args);
  const written = /runtime\.call\("echo", (\{[\s\S]*?\n\})\);/.exec(text)?.[1] ?? '';
  // oxlint-disable-next-line no-implied-eval, typescript/no-unsafe-call -- the text is ours, and what it means is the question
  const read = new Function(`return ${written}`)() as object;
  expect(JSON.stringify(read)).toBe(JSON.stringify(args));
});
