// What every step of an authorisation knows: whom it is for, with whose settings, and how it may speak to others.
import type { Clock } from '../../../base/clock.ts';
import type { OAuthSettings } from '../../../definition/plugin-spec.ts';
import type { Access } from '../../access.ts';

export interface OAuthPorts {
  readonly pluginName: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly access: Access;
  readonly clock: Clock;
  log(message: string): void;
  /** Told every token and every secret of a client before it is used. */
  learn(secrets: readonly string[]): void;
  /** To authorisation servers, and for metadata: nothing of what is meant for the plugin goes with it. */
  readonly send: typeof fetch;
}
