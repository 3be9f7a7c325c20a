// Where in the page somebody is: `#/tools/echo?from=fleet`. The address never holds more than names.
import { signal } from '@preact/signals';

export interface Route {
  readonly page: string;
  /** What comes after the page, each part decoded. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

export function parsedRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page, rest: rest.filter((one) => one !== ''), query: new Map(new URLSearchParams(query)) };
}

/** An address of this page; names may hold anything. */
export function linkTo(page: string, ...rest: readonly string[]): string {
  return `#/${[page, ...rest].map((one) => encodeURIComponent(one)).join('/')}`;
}

/** Follows the address of a window. */
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
