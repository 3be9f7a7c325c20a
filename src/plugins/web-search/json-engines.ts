// Engines with a JSON API: a SearXNG of the user, and Brave Search.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence, shortened, textOf } from '../../base/text.ts';
import { fail } from '../../definition/failure.ts';
import type { Engine } from './engine.ts';
import { textOfHtml } from './html-text.ts';
import type { Settings } from './settings.ts';

export const searxng: Engine = {
  name: 'SearXNG',

  request({ query }, { baseUrl, region, safesearch }) {
    const url = new URL(baseUrl);
    if (!/\/search\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/search`;
    url.searchParams.set('q', query);
    url.searchParams.set('format', 'json');
    url.searchParams.set('safesearch', safeSearch[safesearch]);
    url.searchParams.set('language', languageOf(region));
    return { url, headers: { accept: 'application/json' }, isSecret: false };
  },

  failure: (status) =>
    status === 403 ? { code: 'UNAVAILABLE', message: NO_JSON, recoverable: false } : undefined,

  async read({ text }) {
    const answer = jsonObjectIn(text) ?? fail({ code: 'UNAVAILABLE', message: NO_JSON, recoverable: false });
    const { results, unresponsive_engines: silent } = answer;
    if (!isJsonArray(results))
      return fail({
        code: 'UNAVAILABLE',
        message: `The answer of SearXNG could not be read: it has no list of results.`,
      });
    if (results.length === 0 && isJsonArray(silent) && silent.length > 0) return allSilent(silent);
    return results.filter(isJsonObject).map((result) => ({
      title: textIn(result, 'title'),
      url: textIn(result, 'url'),
      snippet: textIn(result, 'content'),
    }));
  },
};

const safeSearch: Readonly<Record<Settings['safesearch'], string>> = { off: '0', moderate: '1', strict: '2' };

const NO_JSON =
  'SearXNG does not answer in JSON. Add "json" to search.formats in its settings.yml, and see that "base_url" in the configuration of plugin "web_search" is its address.';

/** From a country and a language to a language tag. */
function languageOf(region: string): string {
  const [country = '', language = ''] = region.split('-');
  return country === 'wt' ? 'all' : `${language}-${country.toUpperCase()}`;
}

function allSilent(engines: readonly Json[]): never {
  const names = engines.map((engine) =>
    isJsonArray(engine) ? engine.map(textOf).join(': ') : textOf(engine),
  );
  return fail({
    code: 'UNAVAILABLE',
    message: `None of the engines of SearXNG answered (${shortened(names.join(', '), 200)}). Try again later, or enable others in its settings.yml.`,
    recoverable: true,
  });
}

/** It gives no more at once. */
const COUNT_MAX = 20;

/** More than it was asked for. */
const RESULTS_MAX = 100;

export const brave: Engine = {
  name: 'Brave Search',

  request({ query, maxResults }, { baseUrl, region, safesearch, apiKey = '' }) {
    const url = new URL(baseUrl);
    url.searchParams.set('q', query);
    url.searchParams.set('count', String(Math.min(maxResults, COUNT_MAX)));
    url.searchParams.set('safesearch', safesearch);
    const [country = '', language = ''] = region.split('-');
    if (country !== 'wt') {
      url.searchParams.set('country', country.toUpperCase());
      url.searchParams.set('search_lang', language);
    }
    return { url, headers: { accept: 'application/json', 'x-subscription-token': apiKey }, isSecret: true };
  },

  failure: (status) =>
    status === 401 || status === 403 || status === 422
      ? {
          code: 'UNAUTHENTICATED',
          message: `Brave Search refused the request (HTTP ${status}): most likely its key is wrong or was taken back. Correct "api_key" in the configuration of plugin "web_search", or BRAVE_API_KEY.`,
          recoverable: false,
        }
      : undefined,

  async read({ text }) {
    const answer = jsonObjectIn(text) ?? unreadable('it is not a JSON object');
    // Without results the part is absent.
    const web = answer['web'] ?? (answer['type'] === 'search' ? { results: [] } : undefined);
    const results = isJsonObject(web) ? web['results'] : undefined;
    if (!isJsonArray(results)) return unreadable('it has no list of results');
    return Promise.all(
      results
        .slice(0, RESULTS_MAX)
        .filter(isJsonObject)
        // It marks the words of the query in HTML.
        .map(async (result) => ({
          title: await textOfHtml(textIn(result, 'title')),
          url: textIn(result, 'url'),
          snippet: await textOfHtml(textIn(result, 'description')),
        })),
    );
  },
};

function unreadable(why: string): never {
  return fail({
    code: 'UNAVAILABLE',
    message: `The answer of Brave Search could not be read: ${sentence(why)} See whether "base_url" in the configuration of plugin "web_search" is right.`,
  });
}

function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    // JSON.parse gives JSON.
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Empty where it is absent. */
function textIn(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}
