// One request of a client, and the way back to it until it is answered.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { printableLine } from '../../base/printable.ts';
import { type Trace, traceOf } from '../../base/trace.ts';
import type { Id } from '../../channel/message/message.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { LogEntry, LogLevel } from '../../definition/tool.ts';
import { DroppingSender, type Notification } from '../sender.ts';
import { invalidParams, progressTokenIn, readText } from './client-requests.ts';
import { notifications } from './schema.ts';
import type { Envelope } from './stateless.ts';

/** A client, as it describes itself. */
export interface McpClientInfo {
  readonly name: string;
  readonly capabilities: JsonObject;
}

export function readClient(info: unknown, capabilities: unknown): McpClientInfo {
  const name = isJsonObject(info) && typeof info['name'] === 'string' ? printableLine(info['name'], 100) : '';
  return {
    name: name === '' ? 'unknown' : name,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

export class McpRequest {
  readonly client: McpClientInfo;
  /** Undefined: the client did not ask for progress. */
  readonly progressToken: string | number | undefined;
  readonly context: CallContext;
  readonly #peer: Peer;
  readonly #log: ServerLog;
  readonly #params: JsonObject;
  readonly #envelope: Envelope | undefined;

  constructor(
    peer: Peer,
    log: ServerLog,
    context: CallContext,
    params: JsonObject,
    client: McpClientInfo,
    envelope: Envelope | undefined,
  ) {
    this.#peer = peer;
    this.#log = log;
    this.context = context;
    this.#params = params;
    this.client = client;
    this.#envelope = envelope;
    this.progressToken = progressTokenIn(params);
  }

  get id(): Id {
    return this.context.id;
  }

  /** Undefined where the request says nothing of it. */
  get trace(): Trace | undefined {
    const { _meta: meta } = this.#params;
    return isJsonObject(meta) ? traceOf(meta['traceparent'], meta['tracestate']) : undefined;
  }

  /** Sent back by a client with the answers to what it was asked; undefined where the request begins something. */
  get state(): string | undefined {
    const { requestState: state } = this.#params;
    return this.#envelope !== undefined && typeof state === 'string' ? state : undefined;
  }

  get answers(): JsonObject {
    const { inputResponses: answers } = this.#params;
    return this.#envelope !== undefined && isJsonObject(answers) ? answers : {};
  }

  /** Asks the client while its request waits. Undefined from 2026-07-28 on: then a question is the answer. */
  get ask(): ((method: string, params: JsonObject, signal: AbortSignal) => Promise<Json>) | undefined {
    if (this.#envelope !== undefined) return undefined;
    // It came as JSON.
    return async (method, params, signal) =>
      (await this.#peer.request(method, params, { signal, about: this.id })) as Json;
  }

  /** Calls when the client does not wait for the answer any more; the returned function ends that. */
  whenGivenUp(listener: () => void): () => void {
    return this.context.whenAborted(listener);
  }

  /** Resolves when more may be sent; undefined: at once. */
  notify({ method, params }: Notification): Promise<void> | undefined {
    try {
      if (this.#peer.notify(method, params, this.id)) return undefined;
    } catch {
      // The client reads nothing, or has gone.
    }
    return this.#peer.drained(this.id);
  }

  log(level: WireLevel, data: unknown, logger: string): Promise<void> | undefined {
    if (!this.#log.sends(level, this.#envelope)) return undefined;
    return this.notify({ method: notifications.log, params: { level, data, logger } });
  }

  /** For those who do not wait for the client: what it does not read in time is left out. */
  send(notification: Notification): void {
    this.#log.sender.send(notification, this.id);
  }

  sendLog(level: WireLevel, data: Json): void {
    if (this.#log.sends(level, this.#envelope))
      this.send({ method: notifications.log, params: { level, data } });
  }
}

/** From the least on. */
const wireLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

type WireLevel = (typeof wireLevels)[number];

export const wireLevelOf: Readonly<Record<LogLevel, WireLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

export class ServerLog {
  readonly sender: DroppingSender;
  /** Until a client says how much it wants, it gets all. */
  #least: WireLevel = 'debug';

  constructor(peer: Peer) {
    this.sender = new DroppingSender(peer, (count) =>
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

  /** Whether the client of this request wants this level. */
  sends(level: WireLevel, envelope: Envelope | undefined): boolean {
    const least = envelope === undefined ? this.#least : wireLevel(envelope.logLevel);
    return least !== undefined && wireLevels.indexOf(level) >= wireLevels.indexOf(least);
  }

  #logFrom(least: WireLevel, entry: LogEntry): void {
    if (wireLevels.indexOf(wireLevelOf[entry.level]) < wireLevels.indexOf(least)) return;
    this.sender.send(logNotice(entry));
  }
}

function wireLevel(level: unknown): WireLevel | undefined {
  return wireLevels.find((known) => known === level);
}

function logNotice({ level, message, data }: LogEntry): Notification {
  const params = { level: wireLevelOf[level], data: data === undefined ? message : { message, data } };
  return { method: notifications.log, params };
}
