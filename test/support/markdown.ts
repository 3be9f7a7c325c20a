// Fenced blocks of the documents, so that tests can run them.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './project.ts';

export interface Block {
  /** Where it begins, as `README.md:12`. */
  readonly at: string;
  readonly document: string;
  readonly language: string;
  /** What follows the language on the fence, such as a file name. */
  readonly label: string;
  readonly text: string;
}

/** Every document for people: the ones in the root and those under docs/. */
export function documents(): string[] {
  const guides = path.join(root, 'docs');
  return [
    ...fs.readdirSync(root),
    ...(fs.existsSync(guides) ? fs.readdirSync(guides, { recursive: true, encoding: 'utf8' }) : []).map(
      (file) => `docs/${file}`,
    ),
  ].filter((file) => file.endsWith('.md'));
}

export function read(document: string): string {
  return fs.readFileSync(path.join(root, document), 'utf8');
}

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; at: string; language: string; label: string; lines: string[] } | undefined;
  for (const [index, line] of read(document).split('\n').entries()) {
    const [, fence, language = '', label = ''] = /^\s*(`{3,})(\S*)\s*(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence) open = { fence, at: `${document}:${index + 1}`, language, label, lines: [] };
    } else if (fence?.startsWith(open.fence) && language === '') {
      const { at, lines } = open;
      blocks.push({
        at,
        document,
        language: open.language,
        label: open.label,
        text: `${lines.join('\n')}\n`,
      });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open) throw new Error(`The block at ${open.at} has no end.`);
  return blocks;
}

/** The rows of the table whose first column has this title, each by the titles of its columns. */
export function tableIn(text: string, title: string): Record<string, string>[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const titles = cells(lines[at] ?? '');
  const rows: Record<string, string>[] = [];
  for (const line of at === -1 ? [] : lines.slice(at + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(Object.fromEntries(cells(line).map((cell, column) => [titles[column] ?? '', cell])));
  }
  if (rows.length === 0) throw new Error(`There is no table whose first column is "${title}".`);
  return rows;
}
