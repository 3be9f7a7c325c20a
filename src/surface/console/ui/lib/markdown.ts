// Markdown of plugins as a tree of plain parts: no HTML, no images that load, no address but http, https and mailto. In linear time.
import { inlinesOf, type Inline } from './markdown-inline.ts';

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };

/** More than this is shown as plain text by whoever asks. */
const MARKDOWN_MAX = 200_000;
const DEPTH_MAX = 8;

export function markdownOf(text: string): Block[] {
  return blocksOf(text.slice(0, MARKDOWN_MAX).replaceAll('\r\n', '\n').split('\n'), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index] ?? '';
    if (line.trim() === '') {
      index += 1;
      continue;
    }
    const [block, next] = blockAt(lines, index, depth);
    blocks.push(block);
    index = next;
  }
  return blocks;
}

/** The block that begins here, and where the next may begin; always further on. */
function blockAt(lines: readonly string[], index: number, depth: number): [Block, number] {
  const line = lines[index] ?? '';
  const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
  if (fence !== null) return codeAt(lines, index, fence[1] ?? '', (fence[2] ?? '').trim());
  const heading = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null) {
    const [, marks = '#', title = ''] = heading;
    return [{ kind: 'heading', level: marks.length, inlines: inlinesOf(title.trim()) }, index + 1];
  }
  if (isRule(line)) return [{ kind: 'rule' }, index + 1];
  if (depth < DEPTH_MAX && isQuote(line)) return quoteAt(lines, index, depth);
  if (depth < DEPTH_MAX && markerOf(line) !== undefined) return listAt(lines, index, depth);
  if (isTableHead(line, lines[index + 1])) return tableAt(lines, index);
  return paragraphAt(lines, index, depth);
}

function codeAt(lines: readonly string[], index: number, fence: string, language: string): [Block, number] {
  let end = index + 1;
  while (end < lines.length && !isFenceEnd(lines[end] ?? '', fence)) end += 1;
  return [
    { kind: 'code', language: language.slice(0, 40), text: lines.slice(index + 1, end).join('\n') },
    end + 1,
  ];
}

function isFenceEnd(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === (fence[0] ?? '`').repeat(text.length);
}

function isRule(line: string): boolean {
  const marks = line.replaceAll(/\s/g, '');
  return marks.length >= 3 && ['-', '*', '_'].some((mark) => marks === mark.repeat(marks.length));
}

function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

function quoteAt(lines: readonly string[], index: number, depth: number): [Block, number] {
  let end = index;
  while (end < lines.length && isQuote(lines[end] ?? '')) end += 1;
  const inner = lines.slice(index, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return [{ kind: 'quote', blocks: blocksOf(inner, depth + 1) }, end];
}

interface Marker {
  readonly isOrdered: boolean;
  readonly start: number;
  /** Where the text begins. */
  readonly width: number;
}

function markerOf(line: string): Marker | undefined {
  const marker = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/.exec(line);
  if (marker === null || isRule(line)) return undefined;
  const [, indent = '', mark = '', gap = ''] = marker;
  const isOrdered = mark.length > 1;
  return {
    isOrdered,
    start: isOrdered ? Number.parseInt(mark, 10) : 1,
    width: indent.length + mark.length + Math.min(Math.max(gap.length, 1), 4),
  };
}

function listAt(lines: readonly string[], index: number, depth: number): [Block, number] {
  const first = markerOf(lines[index] ?? '') ?? { isOrdered: false, start: 1, width: 2 };
  const items: Block[][] = [];
  let at = index;
  while (at < lines.length) {
    const marker = markerOf(lines[at] ?? '');
    if (marker === undefined || marker.isOrdered !== first.isOrdered) break;
    let end = at + 1;
    while (end < lines.length && belongs(lines, end, marker.width)) end += 1;
    const inner = lines.slice(at, end).map((line, offset) => withoutIndent(line, marker.width, offset === 0));
    items.push(blocksOf(inner, depth + 1));
    at = end;
    while (
      at < lines.length &&
      (lines[at] ?? '').trim() === '' &&
      markerOf(lines[at + 1] ?? '') !== undefined
    )
      at += 1;
  }
  return [{ kind: 'list', isOrdered: first.isOrdered, start: first.start, items }, at];
}

/** A line of the item above it: indented, or the text going on. */
function belongs(lines: readonly string[], index: number, width: number): boolean {
  const line = lines[index] ?? '';
  if (line.trim() === '') return indentOf(lines[index + 1] ?? '') >= width;
  if (indentOf(line) >= width) return true;
  return markerOf(line) === undefined && (lines[index - 1] ?? '').trim() !== '' && !isBegin(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withoutIndent(line: string, width: number, isFirst: boolean): string {
  return isFirst ? line.slice(width) : line.slice(Math.min(width, indentOf(line)));
}

function isBegin(line: string): boolean {
  return isQuote(line) || isRule(line) || /^ {0,3}(#{1,6}\s|`{3,}|~{3,})/.test(line);
}

function isTableHead(line: string, next: string | undefined): boolean {
  return (
    line.includes('|') &&
    next !== undefined &&
    next.includes('-') &&
    /^[\s|:-]+$/.test(next) &&
    next.includes('|')
  );
}

function tableAt(lines: readonly string[], index: number): [Block, number] {
  const head = cellsOf(lines[index] ?? '');
  let end = index + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
  const rows = lines.slice(index + 2, end).map((line) => cellsOf(line).slice(0, head.length));
  return [{ kind: 'table', head, rows }, end];
}

function cellsOf(line: string): Inline[][] {
  const text = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return text
    .split('|')
    .slice(0, 50)
    .map((cell) => inlinesOf(cell.trim()));
}

function paragraphAt(lines: readonly string[], index: number, depth: number): [Block, number] {
  let end = index + 1;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    if (line.trim() === '' || isBegin(line) || (depth < DEPTH_MAX && markerOf(line) !== undefined)) break;
    end += 1;
  }
  return [
    {
      kind: 'paragraph',
      inlines: inlinesOf(
        lines
          .slice(index, end)
          .map((line) => line.trim())
          .join('\n'),
      ),
    },
    end,
  ];
}
