// The address of the page: the route after the `#`, and the one-time link that opened it.
import { signal } from '@preact/signals';

/** `#/tools/echo?from=fleet` */
export interface Route {
  readonly page: string;
  /** The decoded segments after the page. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

export function parsedRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page, rest: rest.filter((one) => one !== ''), query: new Map(new URLSearchParams(query)) };
}

export function linkTo(page: string, ...rest: readonly string[]): string {
  return `#/${[page, ...rest].map((one) => encodeURIComponent(one)).join('/')}`;
}

/** A signal that follows the window's address. */
export function routeOf(window: Window) {
  const route = signal(parsedRoute(window.location.hash));
  window.addEventListener('hashchange', () => (route.value = parsedRoute(window.location.hash)));
  return route;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** How the page was opened. `old`: by a link with a token, as in earlier versions. */
export type EntryLink =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'old' }
  | { readonly kind: 'plain' };

export function entryOf({ search, hash }: Pick<Location, 'search' | 'hash'>): EntryLink {
  const [, code] = /^#\/enter\/([\w-]+)/.exec(hash) ?? [];
  if (code !== undefined) return { kind: 'code', code };
  const isOld = new URLSearchParams(search).has('token') || /^#\/?token=/.test(hash);
  return { kind: isOld ? 'old' : 'plain' };
}

/** The code in pasted text: a whole link, or the code alone. */
export function codeIn(text: string): string {
  const pasted = text.trim();
  const [, code] = /#\/enter\/([\w-]+)/.exec(pasted) ?? [];
  return code ?? pasted;
}

export const OLD_LINK_REFUSED =
  'Links with a token no longer open the console. Run pluglot console to get a one-time link.';
