// Finds which requirements the tests cite, and what is wrong with the citations.
import type { Requirement } from '../../src/base/requirement.ts';

export type SourceFile = { readonly name: string; readonly text: string };

export type Findings = {
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
export function checkCitations(requirements: readonly Requirement[], tests: readonly SourceFile[]): Findings {
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
