// Presses of the document as what they mean for the page.
import { tellPage } from '../state/page-keys.ts';
import { keyReader, type KeyAction, type KeyPlace } from './keys.ts';
import { moveFocus, openFirst } from './rows.ts';

export interface KeyPorts {
  readonly go: (letter: string) => void;
  readonly help: () => void;
}

/** @returns what ends it */
export function listenToKeys(document: Document, ports: KeyPorts): () => void {
  const read = keyReader(() => Date.now());
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    // An open dialog has its own keys.
    if (document.querySelector('dialog[open]') !== null) return;
    const { key, target } = event;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const place = placeOf(target);
    const action = read({ key, isModified, place });
    if (action !== undefined && isDone(document, action, target, place, ports)) event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

function isDone(
  document: Document,
  action: KeyAction,
  target: EventTarget | null,
  place: KeyPlace,
  { go, help }: KeyPorts,
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
      return tellPage('Enter', true) || openFirst(document);
    case 'leave':
      return leave(target, place);
    case 'move':
      return tellPage(action.by > 0 ? 'j' : 'k', place === 'search') || moveFocus(document, action.by);
    case 'key':
      return tellPage(action.key, false);
  }
}

/** What was searched for goes first, then the page decides what is left; at last it is the field. */
function leave(target: EventTarget | null, place: KeyPlace): boolean {
  if (place === 'search' && target instanceof HTMLInputElement && target.value !== '') {
    target.value = '';
    target.dispatchEvent(new Event('input', { bubbles: true }));
    return true;
  }
  const isTyping = place === 'field' || place === 'search';
  if (place !== 'search' && tellPage('Escape', isTyping)) return true;
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
