// Keys of the page that is shown, heard by the frame.
import { useEffect, useRef } from 'preact/hooks';

/** True when it was meant for the page. */
export type KeyHandler = (key: string) => boolean;

const handlers: KeyHandler[] = [];

/** Hears `j`, `k`, `Escape` and single letters while the component is shown. */
export function usePageKeys(handler: KeyHandler): void {
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    const hear: KeyHandler = (key) => current.current(key);
    handlers.push(hear);
    return () => {
      handlers.splice(handlers.indexOf(hear), 1);
    };
  }, []);
}

/** The one shown last hears it first. */
export function tellPage(key: string): boolean {
  return handlers.toReversed().some((handler) => handler(key));
}
