// Every demand of every specification that we follow is tested: each has an id in a catalogue, and a test cites it.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Requirement } from '../src/base/requirement.ts';
import { jsonRpcRequirements } from '../src/channel/requirements.ts';
import { checkCitations, type SourceFile } from './support/citations.ts';
import { root } from './support/project.ts';

/** Every `requirements.ts` of the sources is the catalogue of one specification. */
const catalogues: readonly (readonly Requirement[])[] = await Promise.all(
  fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'requirements.ts')
    .map(async (name) => {
      const module = (await import(path.join(root, 'src', name))) as Record<string, readonly Requirement[]>;
      return Object.values(module).flat();
    }),
);

test('every requirement is cited by a test, and every citation has its requirement', () => {
  expect(checkCitations(catalogues.flat(), testFiles())).toEqual({
    uncited: [],
    unknown: [],
    misplaced: [],
    malformed: [],
  });
});

test('no catalogue is empty', () => {
  expect(catalogues.filter((catalogue) => catalogue.length === 0)).toEqual([]);
  expect(jsonRpcRequirements.length).toBeGreaterThan(70);
});

test('the check finds what is uncited, unknown, misplaced and malformed', () => {
  const requirements = [
    'in-title',
    'in-comment',
    'in-table',
    'skipped',
    'above-nothing',
    'nowhere',
    'twice',
    'twice',
  ]
    .map((name) => ({ id: `toy:part:${name}`, text: 'something' }))
    .concat({ id: 'toy:no-form', text: 'something' }, { id: 'toy:part:no-text', text: ' ' });
  const text = `
test('toy:part:in-title: it works', () => {});

  // requirement: toy:part:in-comment, toy:part:twice
  // requirement: toy:part:invented
  test.each([1, 2])('%d', () => {});

test.each([
  1,
])('toy:part:in-table %d and toy:part:imagined, not http://other:80:1', () => {});

// requirement: toy:part:skipped
test.skip('later', () => {});

// requirement: toy:part:above-nothing

test('too far away', () => {});
const decoy = 'toy:part:nowhere';
// requirement: toy:part:no-text`;
  expect(checkCitations(requirements, [{ name: 'toy.test.ts', text }])).toEqual({
    uncited: [
      'toy:part:skipped',
      'toy:part:above-nothing',
      'toy:part:nowhere',
      'toy:no-form',
      'toy:part:no-text',
    ],
    unknown: ['toy.test.ts:5 cites toy:part:invented', 'toy.test.ts:10 cites toy:part:imagined'],
    misplaced: [
      'toy.test.ts:12 cites toy:part:skipped',
      'toy.test.ts:15 cites toy:part:above-nothing',
      'toy.test.ts:19 cites toy:part:no-text',
    ],
    malformed: ['toy:part:twice', 'toy:no-form', 'toy:part:no-text'],
  });
});

test('a catalogue without tests is found', () => {
  expect(checkCitations(jsonRpcRequirements, []).uncited).toHaveLength(jsonRpcRequirements.length);
});

/** All tests of the project but this file, whose twin is no test. */
function testFiles(): SourceFile[] {
  return ['src', 'test']
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
    )
    .filter((name) => name.endsWith('.test.ts') && name !== 'test/requirements.test.ts')
    .map((name) => ({ name, text: fs.readFileSync(path.join(root, name), 'utf8') }));
}
