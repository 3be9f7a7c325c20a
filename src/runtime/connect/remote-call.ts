// A call that is made by a host elsewhere. Its events come over the connection that asked for it; closing that cancels it.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import { HeldCall } from '../../fleet/plugin/held-call.ts';
import { eventsOf, parsed, type Requests } from './requests.ts';

export interface RemoteCallParts {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tool: string;
  readonly signal?: AbortSignal | undefined;
  /** Told the name of the conversation that begins with it. */
  readonly onTalk?: (talk: string) => void;
  /** What a refusal of the host means here. */
  readonly codeOf?: (code: ErrorCode) => ErrorCode;
}

export class RemoteCall implements Call {
  readonly tool: string;
  readonly outcome: Promise<Outcome>;
  readonly #parts: RemoteCallParts;
  readonly #held: HeldCall;
  readonly #given = new AbortController();
  #id = '';
  #durationMs: number | undefined;

  constructor(parts: RemoteCallParts) {
    const { tool, clock, signal } = parts;
    this.#parts = parts;
    this.tool = tool;
    this.#held = new HeldCall({ id: '', tool, clock, onCancel: () => this.#given.abort() });
    this.outcome = this.#held.outcome.then((outcome) =>
      this.#durationMs === undefined ? outcome : { ...outcome, durationMs: this.#durationMs },
    );
    const cancel = () => this.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    void this.outcome.then(() => signal?.removeEventListener('abort', cancel));
    if (signal?.aborted === true) this.cancel();
    else void this.#run();
  }

  /** Empty until the host has named it. */
  get id(): string {
    return this.#id;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call is awaited for its outcome
  then<Fulfilled = Outcome, Rejected = never>(
    onFulfilled?: ((outcome: Outcome) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.outcome.then(onFulfilled, onRejected);
  }

  [Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    return this.#held[Symbol.asyncIterator]();
  }

  cancel(reason?: string): void {
    this.#held.cancel(reason);
  }

  async #run(): Promise<void> {
    const { requests, path, body, headers, codeOf = (code) => code } = this.#parts;
    try {
      const response = await requests.open('POST', path, {
        body,
        accept: 'text/event-stream',
        signal: this.#given.signal,
        ...(headers !== undefined && { headers }),
      });
      const id = response.headers['x-pluglot-call'];
      if (typeof id === 'string') this.#id = id;
      for await (const { name, data } of eventsOf(response)) this.#heard(name, data);
      this.#fail('PIPE_ENDED', `The connection to the host ended before the call of "${this.tool}" did.`);
    } catch (thrown) {
      const error = toError(thrown);
      this.#fail(error instanceof PluglotError ? codeOf(error.code) : 'INTERNAL', error.message);
    }
  }

  /** The host is of our own kind, so that the form of what it says is known. */
  #heard(name: string, data: string): void {
    const value: unknown = parsed(data);
    if (name === 'text' || name === 'log' || name === 'progress') this.#held.event(value as CallEvent);
    else if (name === 'talk') this.#parts.onTalk?.((value as { readonly talk: string }).talk);
    else if (name === 'outcome') {
      const { id: _, durationMs, ...answer } = value as Outcome & { readonly id: string };
      this.#durationMs = durationMs;
      this.#held.end(answer);
    }
  }

  /** Nothing, where it has ended. */
  #fail(code: ErrorCode, message: string): void {
    this.#held.fail({ code, message });
  }
}
