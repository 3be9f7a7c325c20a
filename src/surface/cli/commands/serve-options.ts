// What may be said with `pluglot serve`.
import type { DialectName } from '../../../definition/plugin-spec.ts';

export interface ServeOptions {
  readonly as?: DialectName;
  readonly stdio?: boolean;
  readonly http?: boolean;
  /** With `http`: where it listens. */
  readonly port?: number;
  readonly host?: string;
  /** That of the plugin behind `--`. */
  readonly dialect?: string;
}
