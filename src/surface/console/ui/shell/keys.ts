// Keys of the page: single ones, and `g` followed by the letter of a page. Whoever types into a field types letters.

export interface KeyPress {
  readonly key: string;
  readonly isModified: boolean;
  /** In a field where letters are text. */
  readonly isTyping: boolean;
}

export type KeyAction =
  | { readonly kind: 'go'; readonly letter: string }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  /** For the page that is shown. */
  | { readonly kind: 'key'; readonly key: string };

/** After a `g`, so long. */
const SEQUENCE_MS = 1500;

export function keyReader(now: () => number): (press: KeyPress) => KeyAction | undefined {
  let isGoingUntil = 0;
  return ({ key, isModified, isTyping }) => {
    if (key === 'Escape') return { kind: 'leave' };
    if (isModified || isTyping) return undefined;
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
        return key.length === 1 ? { kind: 'key', key } : undefined;
    }
  };
}
