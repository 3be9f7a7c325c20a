// Keys of the page: single ones, and `g` followed by the letter of a page. Whoever types into a field types letters.

export interface KeyPress {
  readonly key: string;
  readonly isModified: boolean;
  readonly place: KeyPlace;
}

/**
 * Where the focus is. `free`: nowhere in particular. `row`: on something that a page lists. `search`: in the field that searches the
 * list. `field`: in another where letters are text. `other`: on what has arrows of its own, such as tabs or a text that scrolls.
 */
export type KeyPlace = 'free' | 'row' | 'search' | 'field' | 'other';

export type KeyAction =
  | { readonly kind: 'go'; readonly letter: string }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'move'; readonly by: number }
  /** What was found first. */
  | { readonly kind: 'open-first' }
  /** For the page that is shown. */
  | { readonly kind: 'key'; readonly key: string };

/** After a `g`, so long. */
const SEQUENCE_MS = 1500;
/** Further than any list is long. */
const FAR = 1e9;

export function keyReader(now: () => number): (press: KeyPress) => KeyAction | undefined {
  let isGoingUntil = 0;
  return ({ key, isModified, place }) => {
    if (key === 'Escape') return { kind: 'leave' };
    if (isModified || place === 'field') return undefined;
    if (place === 'search') return inSearch(key);
    if (now() < isGoingUntil) {
      isGoingUntil = 0;
      return { kind: 'go', letter: key };
    }
    switch (key) {
      case 'g':
        isGoingUntil = now() + SEQUENCE_MS;
        return undefined;
      case '/':
        return { kind: 'search' };
      case '?':
        return { kind: 'help' };
      case 'j':
        return { kind: 'move', by: 1 };
      case 'k':
        return { kind: 'move', by: -1 };
      default:
        if (key.length === 1) return { kind: 'key', key };
        return place === 'other' ? undefined : arrow(key, place);
    }
  };
}

function inSearch(key: string): KeyAction | undefined {
  if (key === 'Enter') return { kind: 'open-first' };
  return key === 'ArrowDown' ? { kind: 'move', by: 1 } : undefined;
}

function arrow(key: string, place: KeyPlace): KeyAction | undefined {
  if (key === 'ArrowDown') return { kind: 'move', by: 1 };
  if (key === 'ArrowUp') return { kind: 'move', by: -1 };
  if (place === 'free') return undefined;
  if (key === 'Home') return { kind: 'move', by: -FAR };
  return key === 'End' ? { kind: 'move', by: FAR } : undefined;
}
