// A call that a host elsewhere makes. Its events come over the connection of the request; closing that cancels it.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../definition/call.ts';
import type { KeptRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { Talk, TalkEnding } from '../../fleet/plugin/talk.ts';
import { endpoints, type CallTarget } from '../api.ts';
import { callValues } from '../api-call-values.ts';
import { deferredCall, type DeferredCall } from '../deferred-call.ts';
import { failureOf } from '../../definition/failure.ts';
import { endpointOf, pathOf } from '../endpoint.ts';
import { checkAnswer, eventsOf, parsed, type Requests } from './requests.ts';

export interface RemoteCallParts {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tool: string;
  readonly signal?: AbortSignal | undefined;
  /** Gets the id of the conversation that begins with it. */
  readonly onTalk?: (talk: string) => void;
  readonly onLog?: ((entry: KeptRecord) => void) | undefined;
  /** The code here for a refusal of the host. */
  readonly codeOf?: (code: ErrorCode) => ErrorCode;
}

export function remoteCall(parts: RemoteCallParts): DeferredCall {
  const { tool, clock, signal } = parts;
  const given = new AbortController();
  const call = deferredCall({ tool, clock, signal, onCancel: () => given.abort() });
  if (!call.isSettled) void follow(call, parts, given.signal);
  return call;
}

async function follow(call: DeferredCall, parts: RemoteCallParts, signal: AbortSignal): Promise<void> {
  const { requests, path, body, headers, codeOf = (code) => code } = parts;
  try {
    const response = await requests.open('POST', path, {
      body,
      accept: 'text/event-stream',
      signal,
      ...(headers !== undefined && { headers }),
    });
    const id = response.headers['x-pluglot-call'];
    if (typeof id === 'string') call.named(id);
    for await (const { name, data } of eventsOf(response)) take(call, parts, name, parsed(data));
    call.fail({
      code: 'PIPE_ENDED',
      message: `The connection to the host ended before the call of "${call.tool}" did.`,
    });
  } catch (thrown) {
    const failure = failureOf(thrown);
    call.fail(thrown instanceof PluglotError ? { ...failure, code: codeOf(failure.code) } : failure);
  }
}

/** @throws PluglotError INVALID_RESPONSE for an event that has not the form of the API */
function take(
  call: DeferredCall,
  { requests, onTalk, onLog }: RemoteCallParts,
  name: string,
  json: Json,
): void {
  checkAnswer(endpointOf('beginTalk').events?.[name], json, requests.place);
  const value: unknown = json;
  switch (name) {
    case 'text':
    case 'log':
    case 'progress':
      return call.event(value as CallEvent);
    case 'target': {
      const { id, ...target } = value as CallTarget & { readonly id: string };
      call.named(id);
      return call.begun(target);
    }
    case 'plugin-log':
      return onLog?.(value as KeptRecord);
    case 'talk':
      return onTalk?.((value as { readonly talk: string }).talk);
    case 'outcome': {
      const { id: _, ...outcome } = value as Outcome & { readonly id: string };
      if (isJsonObject(json) && json['ok'] === false)
        checkAnswer(callValues.callFailure, json['error'] ?? null, requests.place);
      return call.end(outcome);
    }
    default:
    // Of a newer host.
  }
}

export type RemoteTalkParts = Omit<RemoteCallParts, 'path' | 'onTalk' | 'codeOf'>;

export class RemoteTalk implements Talk {
  readonly opening: Call;
  readonly ended: Promise<TalkEnding>;
  readonly #parts: RemoteTalkParts;
  readonly #ended = deferred<TalkEnding>();
  /** Fires when it is over here. */
  readonly #over = new AbortController();
  #id: string | undefined;
  #isOpen = false;
  #isOver = false;
  #current: Call;

  constructor(parts: RemoteTalkParts) {
    this.#parts = parts;
    this.ended = this.#ended.promise;
    const { signal, ...rest } = parts;
    this.opening = remoteCall({ ...rest, path: pathOf('beginTalk'), onTalk: (id) => void this.#hold(id) });
    this.#current = this.#follow(this.opening);
    const leave = () => this.end();
    signal?.addEventListener('abort', leave, { once: true });
    void this.ended.then(() => signal?.removeEventListener('abort', leave));
    if (signal?.aborted === true) this.end();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  say(content: string): Call {
    const { requests, clock, tool } = this.#parts;
    this.#isOpen = false;
    this.#current = this.#follow(
      remoteCall({
        requests,
        clock,
        tool,
        path: pathOf('say', { id: this.#id ?? '-' }),
        body: { content },
        // It is over, or never began.
        codeOf: (code) => (code === 'NOT_FOUND' ? 'NOT_TALKING' : code),
      }),
    );
    return this.#current;
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish({ reason: 'left' });
    this.#current.cancel('The user left the conversation.');
    // Where the host is gone, so is the conversation.
    if (this.#id !== undefined)
      this.#parts.requests.ask('leaveTalk', pathOf('leaveTalk', { id: this.#id })).catch(() => {});
  }

  /** The open connection holds the conversation; its end comes as an event. */
  async #hold(id: string): Promise<void> {
    this.#id = id;
    try {
      const response = await this.#parts.requests.open('GET', pathOf('holdTalk', { id }), {
        accept: 'text/event-stream',
        signal: this.#over.signal,
      });
      for await (const { name, data } of eventsOf(response)) {
        if (name !== 'ended') continue;
        const ending = parsed(data);
        checkAnswer(endpoints.holdTalk.events.ended, ending, this.#parts.requests.place);
        // The last input is answered first.
        void this.#current.outcome.then(() => this.#finish(ending as unknown as TalkEnding));
      }
    } catch {
      // It is over, or the next input fails.
    }
  }

  #follow(call: Call): Call {
    void call.outcome.then((outcome) => this.#answered(outcome));
    return call;
  }

  #answered(outcome: Outcome): void {
    if (this.#isOver) return;
    if (outcome.keepSession === true) this.#isOpen = true;
    else if (outcome.ok) this.#finish({ reason: 'finished' });
    // An input that was cancelled or came too early does not end it.
    else if (this.#id !== undefined && stays.has(outcome.error.code)) this.#isOpen = true;
    else this.#finish({ reason: 'failed', error: outcome.error });
  }

  #finish(ending: TalkEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#over.abort();
    this.#ended.resolve(ending);
  }
}

const stays: ReadonlySet<string> = new Set(['CALL_CANCELLED', 'TOO_MANY_CALLS']);
