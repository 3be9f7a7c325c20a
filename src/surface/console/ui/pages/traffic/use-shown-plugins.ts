// Whose messages are shown just now, and how many of each.
import { useMemo } from 'preact/hooks';
import type { TrafficStore } from './traffic-store.ts';

export interface ShownPlugin {
  readonly name: string;
  readonly count: number;
  /** When the first of them was. */
  readonly firstAt: number;
}

/** As it is when it is first asked for: messages go on coming. */
export function useShownPlugins(store: TrafficStore): { shown: readonly ShownPlugin[]; total: number } {
  return useMemo(() => {
    const plugins = new Map<string, { name: string; count: number; firstAt: number }>();
    const { view } = store;
    for (let index = 0; index < view.count; index++) {
      const message = view.at(index);
      if (message === undefined) continue;
      const known = plugins.get(message.plugin);
      if (known === undefined)
        plugins.set(message.plugin, { name: message.plugin, count: 1, firstAt: message.at });
      else known.count += 1;
    }
    return { shown: [...plugins.values()], total: view.count };
  }, [store]);
}
