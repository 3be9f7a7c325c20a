// Parses and reads untrusted HTML in bounded time: what cannot be a page of results is not parsed.

/** The part of a parsed page that is looked at. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly parent: HtmlNode | null;
  readonly children?: readonly HtmlNode[];
  /** Of text. */
  readonly data?: string;
  /** Of elements. */
  readonly name?: string;
  readonly attribs?: Readonly<Record<string, string>>;
}

const TEXT = 3;

/** More than is ever shown of one text. */
const LENGTH_MAX = 4000;

/** Of which one text is made. */
const NODES_MAX = 2000;

/** A page of results has a thousand. The parser takes a time that grows with the square of how deep they are nested. */
const TAGS_MAX = 20_000;

/** Undefined when it is too much. */
export async function parseHtml(html: string): Promise<HtmlNode | undefined> {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags += 1;
  if (tags > TAGS_MAX) return undefined;
  const { load } = await import('cheerio/slim');
  return load(html).root().get(0);
}

/** In the order of the page. The cost of selectors is quadratic in the number of siblings. */
export function elementsIn(root: HtmlNode): HtmlNode[] {
  const elements: HtmlNode[] = [];
  const waiting: HtmlNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.attribs !== undefined) elements.push(node);
    for (const child of node.children?.toReversed() ?? []) waiting.push(child);
  }
  return elements;
}

export function textOfNode(start: HtmlNode): string {
  let text = '';
  const waiting: HtmlNode[] = [start];
  for (let visited = 0; visited < NODES_MAX && text.length < LENGTH_MAX; visited++) {
    const node = waiting.pop();
    if (node === undefined) break;
    if (node.nodeType === TEXT) text += node.data ?? '';
    else if (isSeparate(node)) text += ' ';
    if (!isHidden(node)) for (const child of node.children?.toReversed() ?? []) waiting.push(child);
  }
  return text;
}

/** A text with marks in it. */
export async function textOfHtml(html: string): Promise<string> {
  const root = await parseHtml(html.slice(0, LENGTH_MAX));
  return root === undefined ? '' : textOfNode(root);
}

function isSeparate(node: HtmlNode): boolean {
  return /^(?:br|p|div|li|td|tr)$/.test(node.name ?? '');
}

function isHidden(node: HtmlNode): boolean {
  return /^(?:script|style|noscript|template)$/.test(node.name ?? '');
}
