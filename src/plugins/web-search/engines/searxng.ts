// A SearXNG of the owner's, which asks other engines and answers in JSON where its settings allow that.
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { shortened, textOf } from '../../../base/shown.ts';
import { fail } from '../../../definition/failure.ts';
import type { Engine } from '../engine.ts';
import { jsonObjectIn, textIn } from '../json-answer.ts';
import type { Settings } from '../settings.ts';

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

/** From a country and a language to what browsers say. */
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
