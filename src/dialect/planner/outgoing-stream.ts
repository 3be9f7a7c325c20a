// What is said while a request is worked on, as a stream of chunks that ends before the answer.
import { PluglotError } from '../../base/error.ts';
import type { Id } from '../../channel/message/message.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { streamMethods } from './schema.ts';

/** In characters: short enough for a message, however its characters are escaped. */
const CHUNK_LENGTH = 128 * 1024;

/** In characters, of what waits because the other end does not read. The answer has the whole text anyway. */
const HELD_MAX = 16 * 1024 * 1024;

export class OutgoingStream {
  readonly #peer: Pick<Peer, 'notify' | 'drained'>;
  readonly #streamId: string;
  readonly #taskId: Id;
  #isStarted = false;
  #chunks = 0;
  #held = '';
  /** There while the pipe has no room. */
  #waiting: Promise<void> | undefined;
  /** Nobody is there any more. */
  #isOver = false;

  constructor(peer: Pick<Peer, 'notify' | 'drained'>, streamId: string, taskId: Id) {
    this.#peer = peer;
    this.#streamId = streamId;
    this.#taskId = taskId;
  }

  text(text: string): void {
    // What comes while the pipe is full is joined into few chunks.
    if (!this.#isOver && this.#held.length < HELD_MAX) this.#held += text;
    if (this.#waiting === undefined) this.#flush();
  }

  /** Resolves when all is on its way; to be called before the answer. Never rejects. */
  async end(): Promise<void> {
    while (this.#waiting !== undefined) await this.#waiting;
    if (!this.#isStarted || this.#isOver) return;
    try {
      this.#notify(streamMethods.end, { stream_id: this.#streamId, total_chunks: this.#chunks });
    } catch {
      // Nobody is left to be told.
    }
  }

  #flush(): void {
    try {
      while (this.#held !== '')
        if (!this.#sendChunk()) {
          this.#waiting = this.#peer.drained().then(
            () => {
              this.#waiting = undefined;
              this.#flush();
            },
            () => this.#giveUp(),
          );
          return;
        }
    } catch {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    this.#waiting = undefined;
    this.#isOver = true;
    this.#held = '';
  }

  /** False when the pipe has no room for another. */
  #sendChunk(): boolean {
    if (!this.#isStarted) {
      const begun = this.#notify(streamMethods.start, { stream_id: this.#streamId, task_id: this.#taskId });
      if (begun === 'full') return false;
      this.#isStarted = true;
    }
    const chunk = firstOf(this.#held);
    const sequence = this.#chunks + 1;
    const sent = this.#notify(streamMethods.data, { stream_id: this.#streamId, chunk, sequence });
    if (sent === 'full') return false;
    this.#chunks = sequence;
    this.#held = this.#held.slice(chunk.length);
    return sent === 'sent';
  }

  #notify(method: string, params: object): 'sent' | 'last' | 'full' {
    try {
      return this.#peer.notify(method, params) ? 'sent' : 'last';
    } catch (error) {
      if (error instanceof PluglotError && error.code === 'PIPE_FULL') return 'full';
      throw error;
    }
  }
}

/** Half a character would become something else on its way. */
function firstOf(text: string): string {
  const isHalf = text.length > CHUNK_LENGTH && /[\uD800-\uDBFF]/.test(text.charAt(CHUNK_LENGTH - 1));
  return text.slice(0, isHalf ? CHUNK_LENGTH - 1 : CHUNK_LENGTH);
}
