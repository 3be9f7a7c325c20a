// Every requirement of every specification is tested: each has an id in a catalogue, and a test cites the id.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { catalogues, type Requirement } from '../requirements/catalogues.ts';
import { root } from '../support/project.ts';

test('every requirement is cited by a test, and every citation has its requirement', () => {
  expect(checkCitations(Object.values(catalogues).flat(), testFiles())).toEqual({
    uncited: [],
    unknown: [],
    misplaced: [],
    malformed: [],
  });
});

test.each(['gassist', 'gevals', 'jsonrpc', 'mcp', 'planner', 'yams'])(
  'the catalogue of %s has its ids',
  (name) => {
    const ids = (catalogues[name] ?? []).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(70);
    expect(ids.filter((id) => !id.startsWith(`${name}:`))).toEqual([]);
  },
);

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
  const catalogue = catalogues['jsonrpc'] ?? [];
  expect(checkCitations(catalogue, []).uncited).toHaveLength(catalogue.length);
});

/** All tests of the project but this file, whose example above is not a test. */
function testFiles(): SourceFile[] {
  return ['src', 'test']
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
    )
    .filter((name) => name.endsWith('.test.ts') && name !== 'test/project/requirements.test.ts')
    .map((name) => ({ name, text: fs.readFileSync(path.join(root, name), 'utf8') }));
}

// Finds which requirements the tests cite, and what is wrong with the citations.

type SourceFile = { readonly name: string; readonly text: string };

type Findings = {
  /** Ids that no test cites. */
  readonly uncited: readonly string[];
  /** Citations of ids that no catalogue has. */
  readonly unknown: readonly string[];
  /** Comments that cite, but stand above no test that runs. */
  readonly misplaced: readonly string[];
  /** Ids that stand twice in the catalogues or have another form, and empty texts. */
  readonly malformed: readonly string[];
};

type Citation = { readonly id: string; readonly at: string };

/** A test cites a requirement in its title, or in a comment directly above it: `// requirement: jsonrpc:batch:array`. */
function checkCitations(requirements: readonly Requirement[], tests: readonly SourceFile[]): Findings {
  const ids = requirements.map(({ id }) => id);
  const found = tests.map((file) => citationsOf(file, new Set(ids.map(specificationOf))));
  const citations = found.flatMap(({ citations }) => citations);
  const cited = new Set(citations.map(({ id }) => id));
  return {
    uncited: ids.filter((id) => !cited.has(id)),
    unknown: citations.filter(({ id }) => !ids.includes(id)).map(tell),
    misplaced: found.flatMap(({ misplaced }) => misplaced).map(tell),
    malformed: requirements
      .filter(({ id, text }, index) => !ID.test(id) || ids.indexOf(id) !== index || text.trim() === '')
      .map(({ id }) => id),
  };
}

const ID = /^[a-z0-9-]+:[a-z0-9.-]+:[a-z0-9.-]+$/;
const ID_IN_TITLE = /[a-z0-9-]+:[a-z0-9.-]+:[a-z0-9.-]+/g;
const COMMENT = /^\s*\/\/ requirement: (.*)$/;
/** The first line of a test that runs, of a table of them, or the line with a table's title. */
const TEST = /^\s*(?:(?:test|it)(?!\.(?:skip|todo))[.(]|[\])}]+\)\()/;

function citationsOf(file: SourceFile, specifications: ReadonlySet<string>) {
  const citations: Citation[] = [];
  const misplaced: Citation[] = [];
  let above: Citation[] = [];
  for (const [index, line] of file.text.split('\n').entries()) {
    const at = `${file.name}:${index + 1}`;
    const comment = COMMENT.exec(line);
    if (comment) {
      above.push(...(comment[1] ?? '').split(',').map((id) => ({ id: id.trim(), at })));
      continue;
    }
    const isTest = TEST.test(line);
    (isTest ? citations : misplaced).push(...above);
    above = [];
    if (!isTest) continue;
    for (const [id] of line.matchAll(ID_IN_TITLE)) {
      if (specifications.has(specificationOf(id))) citations.push({ id, at });
    }
  }
  return { citations, misplaced: [...misplaced, ...above] };
}

function specificationOf(id: string): string {
  return id.split(':')[0] ?? '';
}

function tell({ id, at }: Citation): string {
  return `${at} cites ${id}`;
}
