// A conversation with a plugin of a host elsewhere.
import { deferred } from '../../base/deferred.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import type { Talk, TalkEnding } from '../../fleet/plugin/talk.ts';
import { RemoteCall, type RemoteCallParts } from './remote-call.ts';
import { eventsOf, parsed } from './requests.ts';

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
    this.opening = new RemoteCall({ ...rest, path: '/api/v1/talks', onTalk: (id) => void this.#hold(id) });
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
      new RemoteCall({
        requests,
        clock,
        tool,
        path: `/api/v1/talks/${encodeURIComponent(this.#id ?? '-')}/say`,
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
      this.#parts.requests.ask('DELETE', `/api/v1/talks/${encodeURIComponent(this.#id)}`).catch(() => {});
  }

  /** While this connection is there, so is somebody who talks; the host tells on it what ends the conversation meanwhile. */
  async #hold(id: string): Promise<void> {
    this.#id = id;
    try {
      const response = await this.#parts.requests.open('GET', `/api/v1/talks/${encodeURIComponent(id)}`, {
        accept: 'text/event-stream',
        signal: this.#over.signal,
      });
      for await (const { name, data } of eventsOf(response))
        // The host is of our own kind. What was said last is heard first.
        if (name === 'ended') void this.#current.outcome.then(() => this.#finish(parsed(data) as TalkEnding));
    } catch {
      // It is over, or will be told by what is said next.
    }
  }

  #follow(call: Call): Call {
    void call.outcome.then((outcome) => this.#heard(outcome));
    return call;
  }

  #heard(outcome: Outcome): void {
    if (this.#isOver) return;
    if (outcome.keepSession === true) this.#isOpen = true;
    else if (outcome.ok) this.#finish({ reason: 'finished' });
    // What the user took back, or said too early, is no end of it.
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
