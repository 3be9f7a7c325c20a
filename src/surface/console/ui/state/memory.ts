// What the page remembers while it is open: running activities, tools seen before, and the state of pages that are not shown.
import { signal } from '@preact/signals';
import type { ToolView } from '../api/types.ts';

/** A call or conversation that goes on while other pages are shown. */
export interface Activity {
  /** A new activity replaces the one with the same key. */
  readonly key: string;
  readonly label: string;
  /** The page that shows it. */
  readonly href: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endLabel: 'Cancel' | 'Leave';
  end(): void;
}

export class ActivityList {
  readonly all = signal<readonly Activity[]>([]);

  /** Lists it until the promise settles. */
  add(activity: Activity, until: Promise<unknown>): void {
    const { all } = this;
    all.value = [...all.value.filter(({ key }) => key !== activity.key), activity];
    const remove = () => (all.value = all.value.filter((other) => other !== activity));
    until.then(remove, remove);
  }
}

const TOOLS_MAX = 5000;

/** Tools as they were last listed: a stopped plugin lists none. */
export class LastTools {
  /** In the order in which they were last seen. */
  readonly #tools = new Map<string, ToolView>();

  add(listed: readonly ToolView[]): void {
    for (const tool of listed) {
      this.#tools.delete(tool.name);
      this.#tools.set(tool.name, tool);
    }
    for (const name of this.#tools.keys()) {
      if (this.#tools.size <= TOOLS_MAX) break;
      this.#tools.delete(name);
    }
  }

  of(name: string): ToolView | undefined {
    return this.#tools.get(name);
  }
}

/** After any duration, and before any host was started. */
const EARLIEST = 1e12;

/**
 * The host sends how long a plugin has been in its state; the page keeps the start of that, to count on.
 * 0 stays 0: the start is not known.
 */
export function sinceMoment<View extends { readonly sinceMs: number }>(view: View, now: number): View {
  const { sinceMs } = view;
  return sinceMs === 0 || sinceMs >= EARLIEST ? view : { ...view, sinceMs: now - sinceMs };
}

export class PageStates {
  readonly #states = new Map<string, unknown>();

  /** The state of this name, created on first use. */
  of<Value>(name: string, create: () => Value): Value {
    if (!this.#states.has(name)) this.#states.set(name, create());
    // Each name is used by one page, with one type.
    return this.#states.get(name) as Value;
  }
}

/** True where the handler used the key. `isTyping`: it was pressed in a field. */
export type KeyHandler = (key: string, isTyping: boolean) => boolean;
