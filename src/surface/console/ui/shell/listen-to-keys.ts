// Presses of the document as what they mean for the page.
import { tellPage } from '../state/page-keys.ts';
import { keyReader } from './keys.ts';

export interface KeyPorts {
  readonly go: (letter: string) => void;
  readonly help: () => void;
}

/** @returns what ends it */
export function listenToKeys(document: Document, { go, help }: KeyPorts): () => void {
  const read = keyReader(() => Date.now());
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    // An open dialog has its own keys.
    if (document.querySelector('dialog[open]') !== null) return;
    const action = read({
      key: event.key,
      isModified: event.ctrlKey || event.metaKey || event.altKey,
      isTyping: isTyping(event.target),
    });
    if (action === undefined) return;
    switch (action.kind) {
      case 'go':
        go(action.letter);
        break;
      case 'help':
        help();
        break;
      case 'search':
        document.querySelector<HTMLInputElement>('[data-search]')?.select();
        break;
      case 'leave':
        // First out of the field, then out of what is open.
        if (isTyping(event.target) && event.target instanceof HTMLElement) event.target.blur();
        else if (!tellPage('Escape')) return;
        break;
      case 'move':
        if (!tellPage(action.by > 0 ? 'j' : 'k')) moveFocus(document, action.by);
        break;
      case 'key':
        if (!tellPage(action.key)) return;
        break;
    }
    event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** To the next of what a page lists. */
function moveFocus(document: Document, by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter(
    (row) => row.offsetParent !== null,
  );
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1);
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}
