// DuckDuckGo's page for browsers without scripts. It may change at any time: a page that is not understood is an error.
import { fail } from '../../definition/failure.ts';
import type { Engine, EngineAnswer, Found } from './engine.ts';
import { elementsIn, type HtmlNode, parseHtml, textOfNode } from './html-text.ts';
import type { Settings } from './settings.ts';

export const duckduckgo: Engine = {
  name: 'DuckDuckGo',

  request({ query }, { baseUrl, region, safesearch }) {
    const url = new URL(baseUrl);
    url.searchParams.set('q', query);
    url.searchParams.set('kl', region);
    url.searchParams.set('kp', safeSearch[safesearch]);
    return { url, headers: { accept: 'text/html', 'user-agent': USER_AGENT }, isSecret: false };
  },

  // It does not answer robots with 429.
  failure: (status) => (status === 403 || status === 418 ? blocked : undefined),

  async read(answer) {
    const root = await parseHtml(answer.text);
    if (root === undefined) return changed();
    const elements = elementsIn(root);
    const links = elements
      .filter((element) => element.name === 'a' && hasClass(element, 'result__a'))
      .slice(0, LINKS_MAX);
    const organic = links.filter((link) => !isAdvertisement(link));
    if (organic.length === 0) return nothingIn(answer, elements, links.length);
    const snippets = new Map<HtmlNode, HtmlNode>();
    for (const element of elements) {
      const container = hasClass(element, 'result__snippet') ? containerOf(element) : undefined;
      if (container !== undefined && !snippets.has(container)) snippets.set(container, element);
    }
    const found = organic.flatMap((link) => foundIn(link, snippets));
    return found.length > 0 ? found : changed();
  },
};

/** Several times what one page has. */
const LINKS_MAX = 200;

const safeSearch: Readonly<Record<Settings['safesearch'], string>> = {
  off: '-2',
  moderate: '-1',
  strict: '1',
};

/** Without a browser's user agent it answers with a puzzle. */
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 pluglot';

const blocked = {
  code: 'RATE_LIMITED',
  message:
    'DuckDuckGo takes this for a robot and wants a puzzle solved, so it does not answer. Wait some minutes before the next search; or let the owner of the host choose another engine ("searxng" or "brave") in the configuration of plugin "web_search".',
  recoverable: true,
} as const;

function nothingIn(
  { status }: EngineAnswer,
  elements: readonly HtmlNode[],
  advertisements: number,
): readonly Found[] {
  if (status === 202 || elements.some(isPuzzle)) return fail(blocked);
  const saysSo = elements.some(
    (element) => hasClass(element, 'no-results') || hasClass(element, 'result--no-result'),
  );
  return saysSo || advertisements > 0 ? [] : changed();
}

function isPuzzle({ attribs: { id = '', class: classes = '', action = '' } = {} }: HtmlNode): boolean {
  return id === 'challenge-form' || classes.startsWith('anomaly-modal') || action.includes('/anomaly.js');
}

function changed(): never {
  return fail({
    code: 'UNAVAILABLE',
    message:
      'The answer of DuckDuckGo could not be read: its page has changed, or something between here and there answered in its place. Choose another engine ("searxng" or "brave") in the configuration of plugin "web_search", or look for a newer pluglot.',
    recoverable: false,
  });
}

function foundIn(link: HtmlNode, snippets: ReadonlyMap<HtmlNode, HtmlNode>): Found[] {
  const url = targetOf(link);
  if (url === undefined) return [];
  const container = containerOf(link);
  const snippet = container === undefined ? undefined : snippets.get(container);
  return [{ title: textOfNode(link), url, snippet: snippet === undefined ? '' : textOfNode(snippet) }];
}

/** Deeper than any page has it, so that a strange one costs no more. */
const CONTAINER_DEPTH = 8;
const CLASS_MAX = 500;

function containerOf(element: HtmlNode): HtmlNode | undefined {
  let node = element.parent;
  for (let depth = 0; depth < CONTAINER_DEPTH && node !== null; depth++, node = node.parent) {
    if (hasClass(node, 'result')) return node;
  }
  return undefined;
}

function isAdvertisement(link: HtmlNode): boolean {
  const container = containerOf(link);
  if (container !== undefined && hasClass(container, 'result--ad')) return true;
  const target = targetOf(link) ?? '';
  return /^https?:\/\/(?:[\w-]+\.)*duckduckgo\.com\/y\.js\b/.test(target);
}

function hasClass(element: HtmlNode, name: string): boolean {
  return (element.attribs?.['class'] ?? '').slice(0, CLASS_MAX).split(/\s+/).includes(name);
}

/** Links go by a page of DuckDuckGo's own, which has the address in its query. */
function targetOf(link: HtmlNode): string | undefined {
  const href = link.attribs?.['href'] ?? '';
  if (!URL.canParse(href, 'https://duckduckgo.com/')) return undefined;
  const url = new URL(href, 'https://duckduckgo.com/');
  const isWrapped = /(?:^|\.)duckduckgo\.com$/.test(url.hostname) && url.pathname === '/l/';
  return isWrapped ? (url.searchParams.get('uddg') ?? undefined) : url.href;
}
