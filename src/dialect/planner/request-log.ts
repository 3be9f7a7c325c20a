// One line for each request: how long it took, how it ended, how large it was and the how-many-eth attempt it was. What an author end answered
// is told by it, and what a host asked by the host.
import type { Clock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json.ts';
import { jsonText } from '../../base/shown.ts';
import type { ErrorObject, Id } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { attemptOf } from './attempts.ts';

export class RequestLog {
  readonly #clock: Clock;
  readonly #log: (entry: LogEntry) => void;

  constructor(clock: Clock, log: (entry: LogEntry) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** To be called when the request has ended, with the error when it has failed. */
  begin(method: string, id: Id, params: unknown): (error?: Partial<ErrorObject>) => void {
    const startedAt = this.#clock.now();
    const { number } = attemptOf(id);
    return (error) => {
      const type = isJsonObject(error?.data) ? error.data['type'] : undefined;
      this.#log({
        level: error === undefined ? 'info' : 'error',
        message: 'RPC Request',
        data: {
          method,
          id,
          duration_ms: Math.round(this.#clock.now() - startedAt),
          status: error === undefined ? 'success' : 'error',
          params_bytes: params === undefined ? 0 : Buffer.byteLength(jsonText(params)),
          ...(number > 1 ? { attempt: number } : {}),
          ...(error?.code === undefined ? {} : { code: error.code }),
          ...(type === undefined ? {} : { type }),
        },
      });
    };
  }

  /** Settles as the answer does. */
  async watch<Result>(
    params: unknown,
    { id, method }: CallContext,
    answer: Promise<Result>,
  ): Promise<Result> {
    const told = this.begin(method, id, params);
    try {
      const result = await answer;
      told();
      return result;
    } catch (thrown) {
      told(thrown instanceof RpcError ? thrown : {});
      throw thrown;
    }
  }
}

/** Where nobody wants to know. */
export const noRequestLog: Pick<RequestLog, 'begin'> = { begin: () => () => {} };
