// Keys for the page that is shown, passed on by the shell.
import { useEffect, useRef } from 'preact/hooks';
import { useHost } from './host.ts';
import type { KeyHandler } from './memory.ts';

/**
 * Handles `j`, `k` (also sent for arrows), `Escape` and single letters while the component is shown. From fields it gets `Escape`,
 * and from the search field `Enter`.
 */
export function usePageKeys(handler: KeyHandler): void {
  const { keyHandlers } = useHost();
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    const handle: KeyHandler = (key, isTyping) => current.current(key, isTyping);
    keyHandlers.push(handle);
    return () => {
      keyHandlers.splice(keyHandlers.indexOf(handle), 1);
    };
  }, [keyHandlers]);
}

/** Closes the detail view and focuses the row that opened it. Always true: the key was used. */
export function backTo(list: string, opened: string): true {
  location.hash = list;
  requestAnimationFrame(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    const row = rows.find((one) => one.getAttribute('href') === opened);
    (row ?? document.getElementById('main'))?.focus();
  });
  return true;
}
