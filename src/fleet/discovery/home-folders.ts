// Where the user's own files live: one folder of the user's choice, else those of the XDG convention.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';

export interface HomeFolders {
  /** The user's `pluglot.json`. */
  readonly config: string;
  /** What pluglot remembers: what is trusted, which processes run. */
  readonly state: string;
  /** What plugins keep. */
  readonly data: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws PluglotError CONFIG_INVALID for a PLUGLOT_HOME that is relative: what it means would depend on where one stands. */
export function homeFolders(env: Environment, home: string): HomeFolders {
  const own = env['PLUGLOT_HOME'];
  if (own !== undefined && own !== '') {
    if (!path.isAbsolute(own)) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `PLUGLOT_HOME is "${own}"; expected an absolute path, such as "${path.join(home, own)}".`,
      );
    }
    return { config: own, state: path.join(own, 'state'), data: path.join(own, 'data') };
  }
  // The convention says that a relative path there is to be ignored.
  const folder = (name: string, fallback: string) => {
    const value = env[name];
    return path.join(value && path.isAbsolute(value) ? value : path.join(home, fallback), 'pluglot');
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    state: folder('XDG_STATE_HOME', '.local/state'),
    data: folder('XDG_DATA_HOME', '.local/share'),
  };
}
