// How the user opened this page: by a one-time link, by a link with a token as in earlier versions, or without either.

/** `old`: links with a token no longer open the console. */
export type Entry =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'old' }
  | { readonly kind: 'plain' };

export function entryOf({ search, hash }: Pick<Location, 'search' | 'hash'>): Entry {
  const [, code] = /^#\/enter\/([\w-]+)/.exec(hash) ?? [];
  if (code !== undefined) return { kind: 'code', code };
  const isOld = new URLSearchParams(search).has('token') || /^#\/?token=/.test(hash);
  return { kind: isOld ? 'old' : 'plain' };
}

/** In what the user pastes: the whole link, or its code. */
export function codeIn(text: string): string {
  const pasted = text.trim();
  const [, code] = /#\/enter\/([\w-]+)/.exec(pasted) ?? [];
  return code ?? pasted;
}

export const OLD_LINK =
  'Links with a token do not open the console any more. A one-time link does: pluglot console prints one.';
