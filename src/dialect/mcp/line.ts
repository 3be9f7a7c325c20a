// The way to a server, under the official client: a pipe to a process, or the address of an HTTP server.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { deferred } from '../../base/deferred.ts';
import { PluglotError } from '../../base/error.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import type { Message } from '../../channel/message/message.ts';

export interface Line {
  readonly kind: 'pipe' | 'http';
  /** A transport for one attempt to say hello. Its end is not the end of the line. */
  dial(): Transport;
  /** Told of what could not be carried: the line knows whether it is the end of it. */
  failed(error: unknown): void;
  /** Takes leave of the server, within the limit. Never rejects. */
  goodbye(limitMs: number): Promise<void>;
  close(): void;
  /** The server has asked who we are, and a person is about to say it: the server lives, and answers to nothing else. */
  readonly waitsForPerson?: boolean;
  /** Undefined while it lives. */
  readonly ending: Ending | undefined;
  /** Resolves when nothing more can come, with the reason. */
  readonly ended: Promise<Ending>;
}

/** A message of the client as the channel knows it. */
export function messageOf(json: JSONRPCMessage): Message {
  if ('method' in json) {
    const { method, params } = json;
    return 'id' in json
      ? { kind: 'request', id: json.id, method, params }
      : { kind: 'notification', method, params };
  }
  if ('error' in json) return { kind: 'failure', id: json.id ?? null, error: json.error };
  return { kind: 'success', id: json.id, result: json.result };
}

/**
 * An answer that did not come over the wire: it fails a request of the client with an error of our own, which rides in `data`,
 * where JSON could never put it.
 */
export function failureFor(id: string | number, error: PluglotError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32603, message: error.message, data: error } };
}

/** The error that such an answer carries. */
export function ownErrorIn(data: unknown): PluglotError | undefined {
  return data instanceof PluglotError ? data : undefined;
}

/** The end of a line, told once. */
export class End {
  readonly #told = deferred<Ending>();
  #ending: Ending | undefined;

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get told(): Promise<Ending> {
    return this.#told.promise;
  }

  /** False when it was told before. */
  tell(ending: Ending): boolean {
    if (this.#ending !== undefined) return false;
    this.#ending = ending;
    this.#told.resolve(ending);
    return true;
  }
}
