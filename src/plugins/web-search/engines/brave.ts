// The Brave Search API, for those who have a key.
import { isJsonArray, isJsonObject } from '../../../base/json.ts';
import { sentence } from '../../../base/sentence.ts';
import { fail } from '../../../definition/failure.ts';
import type { Engine } from '../engine.ts';
import { textOfHtml } from '../html-text.ts';
import { jsonObjectIn, textIn } from '../json-answer.ts';

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
    const answer = jsonObjectIn(text) ?? unreadable('it is no JSON object');
    // Without anything found there is no such part.
    const web = answer['web'] ?? (answer['type'] === 'search' ? { results: [] } : undefined);
    const results = isJsonObject(web) ? web['results'] : undefined;
    if (!isJsonArray(results)) return unreadable('it has no list of results');
    return Promise.all(
      results
        .slice(0, RESULTS_MAX)
        .filter(isJsonObject)
        // It marks the words that were looked for.
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
