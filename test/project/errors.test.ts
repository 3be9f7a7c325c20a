// docs/errors.md and the codes say the same, and no message of ours says anything twice.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/base/error.ts';
import { read } from '../support/markdown.ts';
import { root } from '../support/project.ts';

const documented = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);

test('every error code has a line in docs/errors.md, and every line a code', () => {
  expect(documented).toEqual(Object.keys(errorCodes).toSorted());
});

const texts = sourceFiles().flatMap(textsIn);

test('no text has two full stops in a row, or the same sentence twice', () => {
  const wrong = texts.filter(({ text }) => /[\p{L}\p{N})"'…]\.\.(?:\s|$)/u.test(text) || repeats(text));
  expect(wrong.map(({ place }) => place)).toEqual([]);
});

/** A text of others may end with any sign; `sentence` and `sentences` of src/base/text.ts look. */
test('no full stop is put behind a text of others by hand', () => {
  const wrong = texts.filter(({ parts }) =>
    parts.some(({ name, after }) => OF_OTHERS.has(name) && /^\.(?:\s|$)/.test(after)),
  );
  expect(wrong.map(({ place }) => place)).toEqual([]);
  expect(texts.length).toBeGreaterThan(4000);
});

const OF_OTHERS: ReadonlySet<string> = new Set(['message', 'problem', 'reason', 'why', 'wayOut']);

interface Text {
  readonly place: string;
  /** As a reader sees it, with … for what is put in. */
  readonly text: string;
  /** What is put in: the last name of it, and what follows. */
  readonly parts: readonly { readonly name: string; readonly after: string }[];
}

function repeats(text: string): boolean {
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.split(' ').length > 2);
  return new Set(sentences).size < sentences.length;
}

function sourceFiles(): readonly string[] {
  const folder = path.join(root, 'src');
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => path.join(folder, file));
}

function textsIn(file: string): readonly Text[] {
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: Text[] = [];
  const look = (node: ts.Node): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const place = `${path.relative(root, file)}:${line + 1}`;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
      found.push({ place, text: node.text, parts: [] });
    if (ts.isTemplateExpression(node)) {
      const parts = node.templateSpans.map(({ expression, literal }) => ({
        name: lastNameOf(expression),
        after: literal.text,
      }));
      found.push({ place, text: node.head.text + parts.map(({ after }) => `…${after}`).join(''), parts });
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function lastNameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}
