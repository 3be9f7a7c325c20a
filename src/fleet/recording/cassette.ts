// A conversation with a plugin, written down: one JSON object a line, the first of them says what it is. schemas/cassette.schema.json is
// the same for others.
import type { Json } from '../../base/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';

export const CASSETTE_VERSION = 1;

export interface Cassette {
  readonly header: CassetteHeader;
  readonly entries: readonly CassetteEntry[];
}

export interface CassetteHeader {
  readonly cassette: typeof CASSETTE_VERSION;
  readonly plugin: string;
  readonly dialect: DialectName;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** How the plugin was started, for people; secrets are masked. */
  readonly command?: string;
}

export type CassetteEntry = CassetteMessage | CassetteStart;

export interface CassetteMessage {
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly from: 'host' | 'plugin';
  /** As it was on the wire; secrets are masked. What was no message is a text. */
  readonly message: Json;
}

/** A process of the plugin was started: what follows is a conversation of its own. */
interface CassetteStart {
  readonly at: number;
  readonly event: 'started';
}

export function isMessage(entry: CassetteEntry): entry is CassetteMessage {
  return 'message' in entry;
}
