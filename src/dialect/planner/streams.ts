// Text that either end sends while it works on a request: numbered chunks that end before the response.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/text.ts';
import type { Id } from '../../channel/message/message.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { QueuedSender } from '../sender.ts';
import { streamMethods } from './schema.ts';

/** Receives the streams of one request. */
export interface StreamTarget {
  text(text: string): void;
  /** Chunks of a stream are missing or were sent twice. */
  warn(message: string): void;
}

/** Takes what was received and cannot be used. */
export type Report = (reason: string, got: unknown) => void;

const STREAMS_MAX = 1024;

export class IncomingStreams {
  readonly #targets = new Map<string, StreamTarget>();
  readonly #streams = new Map<string, OpenStream>();
  readonly #shared: Shared = { heldLength: 0 };
  readonly #report: Report;

  constructor(peer: Peer, report: Report) {
    this.#report = report;
    peer.onNotification(streamMethods.start, (params) => this.#start(params));
    peer.onNotification(streamMethods.data, (params) => this.#data(params));
    peer.onNotification(streamMethods.end, (params) => this.#end(params));
  }

  /** Streams whose task is this request go to the target, until it is released. */
  follow(id: Id, target: StreamTarget): void {
    this.#targets.set(String(id), target);
  }

  /** The request was answered: streams that have not ended hand out what they hold, with a warning. */
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
      this.#report('stream_start has no "stream_id" and "task_id"', params);
    else if (target === undefined) this.#report('stream_start names a task that is not under way', params);
    else if (this.#streams.has(streamId)) this.#report('stream_start names a stream that is open', params);
    else if (this.#streams.size >= STREAMS_MAX)
      this.#report(`more than ${STREAMS_MAX} streams are open`, params);
    else this.#streams.set(streamId, new OpenStream(streamId, task, target, this.#shared));
  }

  #data(params: unknown): void {
    const stream = this.#streamOf(params, streamMethods.data);
    if (stream === undefined || !isJsonObject(params)) return;
    const { chunk = '', sequence } = params;
    if (typeof chunk !== 'string') this.#report('"chunk" of stream_data is not a string', chunk);
    if (!isCount(sequence)) this.#report('"sequence" of stream_data is not an integer from 0', sequence);
    stream.take(textOf(chunk), isCount(sequence) ? sequence : undefined);
  }

  #end(params: unknown): void {
    const stream = this.#streamOf(params, streamMethods.end);
    if (stream === undefined || !isJsonObject(params)) return;
    const { total_chunks: total } = params;
    if (!isCount(total)) this.#report('"total_chunks" of stream_end is not an integer from 0', total);
    this.#streams.delete(stream.id);
    stream.end(isCount(total) ? total : undefined);
  }

  #streamOf(params: unknown, method: string): OpenStream | undefined {
    const streamId = nameIn(params, 'stream_id');
    const stream = streamId === undefined ? undefined : this.#streams.get(streamId);
    if (stream === undefined) this.#report(`${method} names a stream that is not open`, params);
    return stream;
  }
}

/** How much may wait for a chunk that is missing: in chunks of one stream, and in characters of all. */
const HELD_CHUNKS_MAX = 256;
const HELD_LENGTH_MAX = 16 * 1024 * 1024;

/** Shared by all streams of one end. */
interface Shared {
  heldLength: number;
}

class OpenStream {
  readonly id: string;
  readonly task: string;
  readonly #target: StreamTarget;
  /** Chunks that wait for an earlier one. */
  readonly #held = new Map<number, string>();
  readonly #shared: Shared;
  /** The first chunk is number 1 in the specification; programs that count from 0 are accepted. */
  #next: number | undefined;
  #count = 0;

  constructor(id: string, task: string, target: StreamTarget, shared: Shared) {
    this.id = id;
    this.task = task;
    this.#target = target;
    this.#shared = shared;
  }

  take(chunk: string, sequence: number | undefined): void {
    this.#next ??= sequence === 0 ? 0 : 1;
    const number = sequence ?? this.#next;
    if (number < this.#next || this.#held.has(number)) {
      this.#warn(`chunk ${number} was received twice; the second was dropped`);
      return;
    }
    this.#count += 1;
    this.#held.set(number, chunk);
    this.#shared.heldLength += chunk.length;
    this.#handOut();
    if (this.#held.size > HELD_CHUNKS_MAX || this.#shared.heldLength > HELD_LENGTH_MAX) this.#giveUpMissing();
  }

  end(total: number | undefined): void {
    this.#giveUpMissing();
    if (total !== undefined && total !== this.#count)
      this.#warn(`its total_chunks is ${total}, but ${this.#count} were received`);
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
      this.#shared.heldLength -= chunk.length;
      this.#target.text(chunk);
    }
  }

  /** Continues with the chunks that are there. */
  #giveUpMissing(): void {
    while (this.#held.size > 0) {
      const first = Math.min(...this.#held.keys());
      const missing =
        first - 1 === this.#next ? `chunk ${this.#next}` : `chunks ${this.#next} to ${first - 1}`;
      this.#warn(`${missing} never arrived`);
      this.#next = first;
      this.#handOut();
    }
  }

  #warn(what: string): void {
    this.#target.warn(`Stream "${this.id.slice(0, 100)}": ${what}.`);
  }
}

/** The request that a message belongs to, for the traffic view: only the start of a stream names it. */
export function keysIn(params: unknown): readonly string[] {
  const [task, stream] = [nameIn(params, 'task_id'), nameIn(params, 'stream_id')];
  const keys = [];
  if (task !== undefined) keys.push(`id:${task}`);
  if (stream !== undefined) keys.push(`stream:${stream}`);
  return keys;
}

/** Ids are texts, or numbers where the request had one. */
function nameIn(params: unknown, key: string): string | undefined {
  const value: Json | undefined = isJsonObject(params) ? params[key] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** In characters: fits into a message even when every character is escaped. */
const CHUNK_LENGTH = 128 * 1024;

/** In characters, while the other end does not read. The answer has the whole text anyway. */
const UNSENT_MAX = 16 * 1024 * 1024;

export class OutgoingStream {
  readonly #sender: QueuedSender;
  readonly #streamId: string;
  readonly #taskId: Id;
  #isStarted = false;
  #chunks = 0;
  #unsent = '';
  /** Set while the pipe is full. */
  #waiting: Promise<void> | undefined;

  constructor(sender: QueuedSender, streamId: string, taskId: Id) {
    this.#sender = sender;
    this.#streamId = streamId;
    this.#taskId = taskId;
  }

  text(text: string): void {
    // Text that arrives while the pipe is full is joined into few chunks.
    if (this.#unsent.length < UNSENT_MAX) this.#unsent += text;
    if (this.#waiting === undefined) this.#flush();
  }

  /** Resolves when everything is sent; called before the answer. Never rejects. */
  async end(): Promise<void> {
    while (this.#waiting !== undefined) await this.#waiting;
    if (!this.#isStarted) return;
    this.#send(streamMethods.end, { total_chunks: this.#chunks });
    await this.#sender.drained();
  }

  #flush(): void {
    while (this.#unsent !== '') {
      if (!this.#sender.hasRoom) {
        this.#waiting = this.#sender.drained().then(() => {
          this.#waiting = undefined;
          this.#flush();
        });
        return;
      }
      if (!this.#isStarted) this.#send(streamMethods.start, { task_id: this.#taskId });
      this.#isStarted = true;
      const chunk = firstOf(this.#unsent);
      this.#unsent = this.#unsent.slice(chunk.length);
      this.#chunks += 1;
      this.#send(streamMethods.data, { chunk, sequence: this.#chunks }, chunk.length);
    }
  }

  #send(method: string, params: JsonObject, size = 0): void {
    this.#sender.send({ method, params: { stream_id: this.#streamId, ...params }, size });
  }
}

/** A chunk never ends within a surrogate pair. */
function firstOf(text: string): string {
  const isHalf = text.length > CHUNK_LENGTH && /[\uD800-\uDBFF]/.test(text.charAt(CHUNK_LENGTH - 1));
  return text.slice(0, isHalf ? CHUNK_LENGTH - 1 : CHUNK_LENGTH);
}
