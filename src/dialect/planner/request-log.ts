// One line for each request that was answered: how long it took, how it ended, how large it was and the how-many-eth attempt it was.
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { jsonText } from '../../base/shown.ts';
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

  /** Settles as the answer does. */
  async watch<Result>(
    params: unknown,
    { id, method }: CallContext,
    answer: Promise<Result>,
  ): Promise<Result> {
    const startedAt = this.#clock.now();
    const { number } = attemptOf(id);
    const told = (status: string, more: Readonly<Record<string, Json>>) =>
      this.#log({
        level: status === 'success' ? 'info' : 'error',
        message: 'RPC Request',
        data: {
          method,
          id,
          duration_ms: Math.round(this.#clock.now() - startedAt),
          status,
          params_bytes: params === undefined ? 0 : Buffer.byteLength(jsonText(params)),
          ...(number > 1 ? { attempt: number } : {}),
          ...more,
        },
      });
    try {
      const result = await answer;
      told('success', {});
      return result;
    } catch (thrown) {
      const type = thrown instanceof RpcError && isJsonObject(thrown.data) ? thrown.data['type'] : undefined;
      told('error', {
        ...(thrown instanceof RpcError ? { code: thrown.code } : {}),
        ...(type === undefined ? {} : { type }),
      });
      throw thrown;
    }
  }
}
