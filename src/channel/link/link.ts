// Sends and receives Messages. A framed pipe is one kind of link; what is above does not know which it has.
import type { Ending, Pipe } from '../bytes/pipe.ts';
import type { Id, Message, Received } from '../message/message.ts';

/** What a link has in common with the pipe under it: when it takes more, and how it ends. */
type Flow = Pick<Pipe, 'pause' | 'resume' | 'hasRoom' | 'isFull' | 'unwritable' | 'finish' | 'destroy'>;

export interface Link extends Flow {
  /** Starts receiving; to be called once. */
  open(listener: LinkListener): void;
  /**
   * False means that enough is queued: await `drained()`.
   * @param about the request of the other end that it belongs to, for links that carry each request by itself
   * @throws PluglotError PIPE_FULL, PIPE_ENDED, FRAME_TOO_LARGE or UNENCODABLE; then nothing of the message was sent.
   */
  send(message: Message, about?: Id): boolean;
  /** Waits until there is room; rejects with PIPE_ENDED when the link ends first. */
  drained(about?: Id): Promise<void>;
}

export interface LinkListener {
  /** Messages in wire order, each synchronously. */
  message(message: Received): void;
  /** A chunk of input of so many bytes came: all messages up to the next one came at this same moment. */
  chunkStart(size: number): void;
  trouble(trouble: Trouble): void;
  /** The request with this id will not be answered. For links that carry each request by itself; on a pipe only `end` ends requests. */
  failed?(id: Id, error: Error): void;
  /** Nothing more will be received. Called once. */
  end(ending: Ending): void;
}

/** Input that was survived. */
export type Trouble =
  | { readonly kind: 'noise'; readonly text: string }
  | {
      readonly kind: 'oversize';
      readonly size: number;
      readonly head: string;
      /** How it ends, where that was kept. */
      readonly tail?: string;
      /** Which limit it exceeds, as a sentence. @default that of its size */
      readonly excess?: string;
    }
  | { readonly kind: 'torn'; readonly size: number };
