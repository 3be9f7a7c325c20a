// From what an engine found to what a model reads: plain, short, each address once.
import type { Found } from './engine.ts';

const TITLE_MAX = 300;
const SNIPPET_MAX = 1000;
const URL_MAX = 2000;

export function resultsOf(found: readonly Found[], maxResults: number): Found[] {
  const results = new Map<string, Found>();
  for (const { title, url, snippet } of found) {
    if (results.size === maxResults) break;
    const address = addressOf(url);
    if (address === undefined || results.has(address)) continue;
    results.set(address, {
      title: plain(title, TITLE_MAX) || address,
      url: address,
      snippet: plain(snippet, SNIPPET_MAX),
    });
  }
  return [...results.values()];
}

/** Pages of the web alone: a model may open what it is given. */
function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > URL_MAX || !URL.canParse(trimmed)) return undefined;
  const { protocol, username, password, href } = new URL(trimmed);
  const isPlain = (protocol === 'https:' || protocol === 'http:') && username + password === '';
  return isPlain && href.length <= URL_MAX ? href : undefined;
}

/** One line, without characters that are not seen; the joiners of some scripts and of emoji stay. */
function plain(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/(?!\u200c|\u200d|\s)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  // Never half of a character.
  return `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
