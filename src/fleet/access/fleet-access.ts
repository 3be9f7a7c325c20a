// How the plugins of a fleet come to be allowed in somewhere: where their tokens are kept, and who is asked.
import { Emitter } from '../../base/emitter.ts';
import type { Access } from '../../dialect/access.ts';
import { fileSafe } from './file-safe.ts';
import { createOnce } from './once.ts';

export interface FleetAccessOptions {
  /** Where tokens are kept, such as `tokens` in the state folder. */
  readonly folder: string;
  /** Opens an address for a person, mostly in a browser. Without it only those who `attend` are asked. */
  readonly openUrl?: (url: string, plugin: string) => void | Promise<void>;
}

export interface FleetAccess extends Access {
  /**
   * From now on somebody is there for this plugin, and is shown the addresses that have to be opened instead of `openUrl`; one that
   * waits already is shown at once. The returned function ends that.
   */
  attend(plugin: string, show: (url: string) => void): () => void;
}

export function fleetAccess({ folder, openUrl }: FleetAccessOptions): FleetAccess {
  const attending = new Map<string, Emitter<string>>();
  const waiting = new Map<string, string>();
  return {
    safe: fileSafe(folder),
    once: createOnce(),
    person(plugin) {
      if (openUrl === undefined && attending.get(plugin)?.isHeard !== true) return undefined;
      return async (url, signal) => {
        signal.throwIfAborted();
        waiting.set(plugin, url);
        const answered = () => {
          if (waiting.get(plugin) === url) waiting.delete(plugin);
        };
        signal.addEventListener('abort', answered, { once: true });
        const shown = attending.get(plugin);
        if (shown?.isHeard === true) shown.emit(url);
        else await openUrl?.(url, plugin);
      };
    },
    attend(plugin, show) {
      const emitter = attending.get(plugin) ?? new Emitter<string>();
      attending.set(plugin, emitter);
      const end = emitter.add(show);
      const url = waiting.get(plugin);
      if (url !== undefined) show(url);
      return () => {
        end();
        if (!emitter.isHeard && attending.get(plugin) === emitter) attending.delete(plugin);
      };
    },
  };
}
