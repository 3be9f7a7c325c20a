// Checks trust again before each start: a fleet runs for days, and the files may have changed since.
import { PluglotError } from '../../base/error.ts';
import { sentences } from '../../base/text.ts';
import type { Launcher } from '../supervisor/launcher.ts';
import type { Trust } from './trust-store.ts';

/** `check` is called with the name of the plugin; undefined: it needs no trust. */
export function trustingLauncher(
  launcher: Launcher,
  check: (plugin: string) => Promise<Trust | undefined>,
): Launcher {
  return {
    ...launcher,
    async launch(spec, options) {
      const trust = await check(spec.name);
      if (trust !== undefined && !trust.trusted)
        throw new PluglotError(
          'NOT_TRUSTED',
          `Plugin "${spec.name}" may not be run: ${sentences(trust.reason, trust.wayOut)}`,
        );
      return launcher.launch(
        spec,
        trust?.pinned === undefined ? options : { ...options, pinned: trust.pinned },
      );
    },
  };
}
