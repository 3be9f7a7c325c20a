// Keys of the page that is shown, heard by the frame.
import { useEffect, useRef } from 'preact/hooks';

/** True when it was meant for the page. `isTyping`: it was pressed in a field. */
export type KeyHandler = (key: string, isTyping: boolean) => boolean;

const handlers: KeyHandler[] = [];

/**
 * Hears `j`, `k` (also for arrows), `Escape` and single letters while the component is shown. In fields it hears `Escape`, and of the
 * one that searches `Enter`.
 */
export function usePageKeys(handler: KeyHandler): void {
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    const hear: KeyHandler = (key, isTyping) => current.current(key, isTyping);
    handlers.push(hear);
    return () => {
      handlers.splice(handlers.indexOf(hear), 1);
    };
  }, []);
}

/** The one shown last hears it first. */
export function tellPage(key: string, isTyping: boolean): boolean {
  return handlers.toReversed().some((handler) => handler(key, isTyping));
}

/** Closes what is open and puts the focus back where it was opened; true, since the key was meant for that. */
export function backTo(list: string, opened: string): true {
  location.hash = list;
  requestAnimationFrame(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    const row = rows.find((one) => one.getAttribute('href') === opened);
    (row ?? document.getElementById('main'))?.focus();
  });
  return true;
}
