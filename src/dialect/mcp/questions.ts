// What a server is asked besides its tools: each question within its limit, each failure in neutral words.
import { ProtocolError, type Client } from '@modelcontextprotocol/client';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { patiently } from '../../base/patience.ts';
import { refusal } from '../reply.ts';
import { failureOf } from './errors.ts';
import { LONGEST_MS } from './hello.ts';
import { ownErrorIn, type Line } from './line.ts';

/** Results are read by schema.ts, which forgives more than the client does. */
export const anything = {
  '~standard': { version: 1, vendor: 'pluglot', validate: (value: unknown) => ({ value }) },
} as const;

export class Questions {
  readonly #client: Client;
  readonly #line: Line;
  readonly #pluginName: string;
  readonly #clock: Clock;

  constructor(client: Client, line: Line, pluginName: string, clock: Clock) {
    this.#client = client;
    this.#line = line;
    this.#pluginName = pluginName;
    this.#clock = clock;
  }

  /** @throws PluglotError when nobody is there any more */
  get client(): Client {
    if (this.#line.ending === undefined) return this.#client;
    const { code, message } = failureOf(new Error('over'), this.#pluginName, this.#line.ending);
    throw new PluglotError(code, message);
  }

  /**
   * The result as it came; without a limit it is waited for until the line ends.
   * @throws PluglotError in the words all dialects share
   */
  async ask(method: string, params?: JsonObject, limitMs?: number): Promise<unknown> {
    try {
      return await this.request(method, params, limitMs);
    } catch (thrown) {
      const { code, message } = failureOf(thrown, this.#pluginName, this.#line.ending);
      if (!(thrown instanceof ProtocolError) || ownErrorIn(thrown.data) !== undefined)
        throw new PluglotError(code, message, { cause: thrown });
      const question = { pluginName: this.#pluginName, method };
      // What is not known here is no tool.
      throw refusal(question, thrown, code === 'UNKNOWN_TOOL' ? 'UNSUPPORTED' : code);
    }
  }

  /** The same, but it fails with what the client fails with. */
  async request(method: string, params?: JsonObject, limitMs?: number): Promise<unknown> {
    const controller = new AbortController();
    const late = new PluglotError(
      'CALL_TIMEOUT',
      `Plugin "${this.#pluginName}" did not answer ${method} within ${limitMs} ms.`,
    );
    const callOff =
      limitMs === undefined
        ? () => {}
        : patiently(this.#clock, limitMs, () => controller.abort(late.message));
    try {
      return await this.client.request({ method, ...(params && { params }) }, anything, {
        signal: controller.signal,
        timeout: LONGEST_MS,
      });
    } catch (thrown) {
      throw controller.signal.aborted ? late : thrown;
    } finally {
      callOff();
    }
  }
}
