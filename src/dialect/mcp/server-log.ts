// Logs as the messages of MCP, from the level on that the client has asked for.
import type { JsonObject } from '../../base/json.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { LogEntry, LogLevel } from '../../definition/tool.ts';
import { Notices, type Notice } from '../notices.ts';
import { invalidParams, readText } from './client-requests.ts';
import { notifications } from './schema.ts';
import type { Envelope } from './stateless.ts';

/** From the least on. */
const wireLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

type WireLevel = (typeof wireLevels)[number];

const levels: Readonly<Record<LogLevel, WireLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

export class ServerLog {
  readonly notices: Notices;
  /** Until a client says how much it wants, it gets all. */
  #least: WireLevel = 'debug';

  constructor(peer: Peer) {
    this.notices = new Notices(peer, (count) =>
      logNotice({
        level: 'warn',
        message: `${count} notifications were left out: they were not read in time.`,
      }),
    );
  }

  /** @throws RpcError -32602 */
  setLevel(params: JsonObject): void {
    const level = readText(params, 'level');
    const known = wireLevel(level);
    if (known === undefined) throw invalidParams('level', level, `one of ${wireLevels.join(', ')}`);
    this.#least = known;
  }

  log(entry: LogEntry): void {
    this.#logFrom(this.#least, entry);
  }

  /** The log of a request that says itself from which level on; none where it does not say. */
  logOf({ logLevel }: Envelope): (entry: LogEntry) => void {
    const least = wireLevel(logLevel);
    return (entry) => {
      if (least !== undefined) this.#logFrom(least, entry);
    };
  }

  #logFrom(least: WireLevel, entry: LogEntry): void {
    if (wireLevels.indexOf(levels[entry.level]) < wireLevels.indexOf(least)) return;
    this.notices.send(logNotice(entry));
  }
}

function wireLevel(level: unknown): WireLevel | undefined {
  return wireLevels.find((known) => known === level);
}

function logNotice({ level, message, data }: LogEntry): Notice {
  const params = { level: levels[level], data: data === undefined ? message : { message, data } };
  return { method: notifications.log, params };
}
