// The start of the path: two byte directions with an end. Everything above sees this interface, never a stream.

/**
 * Bytes on their way out. A string stands for bytes, one per character (latin1), so that small messages merge by plain
 * concatenation; `text` for its UTF-8. Several strings are pieces of one write: a long one is not copied into a longer one first.
 */
export type Encoded = string | Uint8Array | readonly string[] | { readonly text: string };

/** Why a direction is over. */
export type Ending =
  | { readonly kind: 'closed' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: 'failed'; readonly error: Error };

export interface PipeReader {
  /** A piece of the input. It is the reader's until this returns: the reader may overwrite it, and must copy what it keeps. */
  data(chunk: Buffer): void;
  /** The input is over. Called once, after the last data. */
  end(ending: Ending): void;
}

export interface Pipe {
  /** Starts reading; to be called once. */
  open(reader: PipeReader): void;
  pause(): void;
  resume(): void;
  /**
   * Queues bytes; those of one tick go out as one write. False means that enough is queued: await `drained()`.
   * @throws PluglotError PIPE_FULL when the queue was at its limit, PIPE_ENDED when the other end no longer reads.
   */
  write(data: Encoded): boolean;
  /** Less is queued than the mark at which writers are asked to wait. */
  readonly hasRoom: boolean;
  /** The queue is at its limit: a write would fail. */
  readonly isFull: boolean;
  /** Waits until there is room; rejects with PIPE_ENDED when the pipe ends first. */
  drained(): Promise<void>;
  /** Resolves when nothing more can be sent, because this end has finished or the other end does not read any more. */
  unwritable(): Promise<void>;
  /** Sends what is queued, then ends the outgoing direction; resolves as well when that is no longer possible. */
  finish(): Promise<void>;
  /** Ends both directions at once and drops what is queued; the reader gets the reason, by default that this end closed it. */
  destroy(ending?: Ending): void;
}

export interface PipeOptions {
  /**
   * How many bytes may be queued before writers are asked to wait.
   * @default 256 KiB
   */
  readonly queueMark?: number;
  /**
   * How many bytes may be queued at all. The last write may go over it, so that a message is never cut.
   * @default 16 MiB
   */
  readonly queueLimit?: number;
}

export function describeEnding(ending: Ending): string {
  switch (ending.kind) {
    case 'closed':
      return 'it was closed by this end';
    case 'ended':
      return 'the other end closed it';
    case 'exited':
      return ending.signal === null
        ? `the process exited with code ${ending.exitCode}`
        : `the process was ended by ${ending.signal}`;
    case 'failed':
      return ending.error.message;
  }
}
