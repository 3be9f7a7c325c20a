// Key presses of the document: single keys, and `g` followed by the letter of a page. In a field, letters are text.

export interface KeyActions {
  readonly go: (letter: string) => void;
  readonly help: () => void;
  /** Passes a key to the page; true where the page used it. */
  readonly page: (key: string, isTyping: boolean) => boolean;
}

/** @returns a function that stops listening */
export function listenToKeys(document: Document, actions: KeyActions): () => void {
  const read = keyReader(() => Date.now());
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    // An open dialog has its own keys.
    if (document.querySelector('dialog[open]') !== null) return;
    const { key, target } = event;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const place = placeOf(target);
    const action = read({ key, isModified, place });
    if (action !== undefined && isDone(document, action, target, place, actions)) event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

function isDone(
  document: Document,
  action: KeyAction,
  target: EventTarget | null,
  place: KeyPlace,
  { go, help, page }: KeyActions,
): boolean {
  switch (action.kind) {
    case 'go':
      go(action.letter);
      return true;
    case 'help':
      help();
      return true;
    case 'search':
      document.querySelector<HTMLInputElement>('[data-search]')?.select();
      return true;
    case 'open-first':
      return page('Enter', true) || openFirst(document);
    case 'leave':
      return leave(target, place, page);
    case 'move':
      return page(action.by > 0 ? 'j' : 'k', place === 'search') || moveFocus(document, action.by);
    case 'key':
      return page(action.key, false);
  }
}

/** Escape clears the search first; then the page may use it; at last it leaves the field. */
function leave(target: EventTarget | null, place: KeyPlace, page: KeyActions['page']): boolean {
  if (place === 'search' && target instanceof HTMLInputElement && target.value !== '') {
    target.value = '';
    target.dispatchEvent(new Event('input', { bubbles: true }));
    return true;
  }
  const isTyping = place === 'field' || place === 'search';
  if (place !== 'search' && page('Escape', isTyping)) return true;
  if (isTyping && target instanceof HTMLElement) target.blur();
  return isTyping;
}

function placeOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof HTMLElement)) return 'free';
  if (target.matches('[data-search]')) return 'search';
  if (isField(target)) return 'field';
  if (target.matches('[data-row]')) return 'row';
  return target === target.ownerDocument.body || target.id === 'main' ? 'free' : 'other';
}

function isField(target: HTMLElement): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Moves from the focused row, or else from the open one. */
function moveFocus(document: Document, by: number): boolean {
  const rows = shownRows(document);
  const focused = rows.findIndex((row) => row === document.activeElement);
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
  const last = rows.length - 1;
  const next = at < 0 ? (by > 0 ? 0 : last) : Math.min(Math.max(at + by, 0), last);
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}

function openFirst(document: Document): boolean {
  const [first] = shownRows(document);
  first?.click();
  return first !== undefined;
}

function shownRows(document: Document): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
}

export interface KeyPress {
  readonly key: string;
  readonly isModified: boolean;
  readonly place: KeyPlace;
}

/**
 * Where the focus is. `free`: on nothing in particular. `row`: on a row of a list. `search`: in the search field. `field`: in another
 * field, where letters are text. `other`: on something with arrow keys of its own, such as tabs or a scrolling text.
 */
export type KeyPlace = 'free' | 'row' | 'search' | 'field' | 'other';

export type KeyAction =
  | { readonly kind: 'go'; readonly letter: string }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'move'; readonly by: number }
  | { readonly kind: 'open-first' }
  /** For the page that is shown. */
  | { readonly kind: 'key'; readonly key: string };

/** The time for a letter after `g`. */
const SEQUENCE_MS = 1500;
/** Longer than any list. */
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
