// Sends and receives Messages. A framed pipe is one kind of link; what is above does not know which it has.
import type { Ending } from '../bytes/pipe.ts';
import type { Message, Received } from '../message/message.ts';

export interface Link {
  /** Starts receiving; to be called once. */
  open(listener: LinkListener): void;
  pause(): void;
  resume(): void;
  /**
   * False means that enough is queued: await `drained()`.
   * @throws PluglotError PIPE_FULL, PIPE_ENDED, FRAME_TOO_LARGE or UNENCODABLE; then nothing of the message was sent.
   */
  send(message: Message): boolean;
  readonly hasRoom: boolean;
  readonly isFull: boolean;
  drained(): Promise<void>;
  /** Resolves when nothing more can be sent. */
  unwritable(): Promise<void>;
  /** Sends what is queued and ends the outgoing direction. */
  finish(): Promise<void>;
  /** Ends both directions at once; the listener is told the reason, by default that this end closed it. */
  destroy(ending?: Ending): void;
}

export interface LinkListener {
  /** Messages in wire order, each synchronously. */
  message(message: Received): void;
  /** A chunk of input of so many bytes came: all messages up to the next one came at this same moment. */
  chunkStart(size: number): void;
  trouble(trouble: Trouble): void;
  /** Nothing more will be received. Told once. */
  end(ending: Ending): void;
}

/** What came and was survived. */
export type Trouble =
  | { readonly kind: 'noise'; readonly text: string }
  | { readonly kind: 'oversize'; readonly size: number; readonly head: string }
  | { readonly kind: 'torn'; readonly size: number };
