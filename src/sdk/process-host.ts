// What a definition needs of the program that serves it: a data folder, files, and which programs there are.
import { builtins } from '../base/builtins.ts';
import { systemClock } from '../base/clock.ts';
import type { PluginHost } from '../definition/run/plugin-host.ts';
import { findInPath } from '../base/search-path.ts';

export interface OwnProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the user. */
  readonly home: string;
}

export function processHost(
  plugin: string,
  { env, home }: OwnProcess,
): Omit<PluginHost, 'log' | 'flushPrints' | 'isolate' | 'debug'> {
  let made: string | undefined;
  return {
    clock: systemClock,
    dataFolder() {
      made ??= makeFolder(env['PLUGLOT_DATA_DIR'] ?? usualFolder(plugin, env['XDG_DATA_HOME'], home));
      return made;
    },
    hasCommand: (name) => findInPath(name, { path: env['PATH'] ?? '', cwd: '' }) !== undefined,
    readFile: (file) => builtins.fs.promises.readFile(file),
  };
}

function makeFolder(folder: string): string {
  builtins.fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Under hosts that give none: where the user's own host would put it. By the convention, a relative path is ignored. */
function usualFolder(plugin: string, xdgData: string | undefined, home: string): string {
  const { path } = builtins;
  const data = xdgData && path.isAbsolute(xdgData) ? xdgData : path.join(home, '.local/share');
  return path.join(data, 'pluglot', plugin.replaceAll(/[^\w.-]/g, '_').replace(/^\./, '_'));
}
