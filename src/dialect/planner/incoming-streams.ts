// What the other end says while it works: chunks in their order, each to the request that it belongs to.
import { isJsonObject, type Json } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import type { Id } from '../../channel/message/message.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { streamMethods } from './schema.ts';

/** Who hears the streams of one request. */
export interface StreamTarget {
  text(text: string): void;
  /** Something of a stream is missing, doubled or out of order. */
  warn(message: string): void;
}

/** Tells of what came and belongs to nobody. */
export type Tell = (reason: string, got: unknown) => void;

const STREAMS_MAX = 1024;

export class IncomingStreams {
  readonly #targets = new Map<string, StreamTarget>();
  readonly #streams = new Map<string, OpenStream>();
  readonly #room: Room = { heldLength: 0 };
  readonly #tell: Tell;

  constructor(peer: Peer, tell: Tell) {
    this.#tell = tell;
    peer.onNotification(streamMethods.start, (params) => this.#start(params));
    peer.onNotification(streamMethods.data, (params) => this.#data(params));
    peer.onNotification(streamMethods.end, (params) => this.#end(params));
  }

  /** Streams whose task is this request go to the target, until it is released. */
  follow(id: Id, target: StreamTarget): void {
    this.#targets.set(String(id), target);
  }

  /** The request was answered; what its streams hold back is handed out, and that they never ended is told. */
  release(id: Id): void {
    const task = String(id);
    if (!this.#targets.delete(task)) return;
    for (const [streamId, stream] of this.#streams) {
      if (stream.task !== task) continue;
      this.#streams.delete(streamId);
      stream.cutOff();
    }
  }

  #start(params: unknown): void {
    const streamId = nameIn(params, 'stream_id');
    const task = nameIn(params, 'task_id');
    const target = task === undefined ? undefined : this.#targets.get(task);
    if (streamId === undefined || task === undefined)
      this.#tell('stream_start has no "stream_id" and "task_id"', params);
    else if (target === undefined) this.#tell('stream_start names a task that is not under way', params);
    else if (this.#streams.has(streamId)) this.#tell('stream_start names a stream that is open', params);
    else if (this.#streams.size >= STREAMS_MAX)
      this.#tell(`more than ${STREAMS_MAX} streams are open`, params);
    else this.#streams.set(streamId, new OpenStream(streamId, task, target, this.#room));
  }

  #data(params: unknown): void {
    const stream = this.#streamOf(params, streamMethods.data);
    if (stream === undefined || !isJsonObject(params)) return;
    const { chunk = '', sequence } = params;
    if (typeof chunk !== 'string') this.#tell('"chunk" of stream_data is no string', chunk);
    if (!isCount(sequence)) this.#tell('"sequence" of stream_data is no integer from 0', sequence);
    stream.take(textOf(chunk), isCount(sequence) ? sequence : undefined);
  }

  #end(params: unknown): void {
    const stream = this.#streamOf(params, streamMethods.end);
    if (stream === undefined || !isJsonObject(params)) return;
    const { total_chunks: total } = params;
    if (!isCount(total)) this.#tell('"total_chunks" of stream_end is no integer from 0', total);
    this.#streams.delete(stream.id);
    stream.end(isCount(total) ? total : undefined);
  }

  #streamOf(params: unknown, method: string): OpenStream | undefined {
    const streamId = nameIn(params, 'stream_id');
    const stream = streamId === undefined ? undefined : this.#streams.get(streamId);
    if (stream === undefined) this.#tell(`${method} names a stream that is not open`, params);
    return stream;
  }
}

/** How much may wait for a chunk that is missing: in chunks of one stream, and in characters of all. */
const HELD_MAX = 256;
const HELD_LENGTH_MAX = 16 * 1024 * 1024;

/** What all streams of one end share. */
interface Room {
  heldLength: number;
}

class OpenStream {
  readonly id: string;
  readonly task: string;
  readonly #target: StreamTarget;
  /** Chunks that came before one that should have come earlier. */
  readonly #held = new Map<number, string>();
  readonly #room: Room;
  /** The first chunk is number 1 in the specification; programs that count from 0 are understood. */
  #next: number | undefined;
  #count = 0;

  constructor(id: string, task: string, target: StreamTarget, room: Room) {
    this.id = id;
    this.task = task;
    this.#target = target;
    this.#room = room;
  }

  take(chunk: string, sequence: number | undefined): void {
    this.#next ??= sequence === 0 ? 0 : 1;
    const number = sequence ?? this.#next;
    if (number < this.#next || this.#held.has(number)) {
      this.#warn(`chunk ${number} came again and was left out`);
      return;
    }
    this.#count += 1;
    this.#held.set(number, chunk);
    this.#room.heldLength += chunk.length;
    this.#handOut();
    if (this.#held.size > HELD_MAX || this.#room.heldLength > HELD_LENGTH_MAX) this.#giveUpMissing();
  }

  end(total: number | undefined): void {
    this.#giveUpMissing();
    if (total !== undefined && total !== this.#count)
      this.#warn(`it ended after ${total} chunks by its own count, but ${this.#count} came`);
  }

  cutOff(): void {
    this.#giveUpMissing();
    this.#warn('the task was answered before the stream ended');
  }

  #handOut(): void {
    for (let next = this.#next ?? 1; ; next += 1) {
      const chunk = this.#held.get(next);
      this.#next = next;
      if (chunk === undefined) return;
      this.#held.delete(next);
      this.#room.heldLength -= chunk.length;
      this.#target.text(chunk);
    }
  }

  /** Goes on with what is there. */
  #giveUpMissing(): void {
    while (this.#held.size > 0) {
      const first = Math.min(...this.#held.keys());
      const missing =
        first - 1 === this.#next ? `chunk ${this.#next}` : `chunks ${this.#next} to ${first - 1}`;
      this.#warn(`${missing} never came`);
      this.#next = first;
      this.#handOut();
    }
  }

  #warn(what: string): void {
    this.#target.warn(`Stream "${this.id.slice(0, 100)}": ${what}.`);
  }
}

/** Which request a message is about, for people who look at the wire: a stream names it once. */
export function keysIn(params: unknown): readonly string[] {
  const [task, stream] = [nameIn(params, 'task_id'), nameIn(params, 'stream_id')];
  return [
    ...(task === undefined ? [] : [`id:${task}`]),
    ...(stream === undefined ? [] : [`stream:${stream}`]),
  ];
}

/** Ids come as texts, and as numbers where they were numbers. */
function nameIn(params: unknown, key: string): string | undefined {
  const value: Json | undefined = isJsonObject(params) ? params[key] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
