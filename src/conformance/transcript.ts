// The bytes and messages of a conversation, within limits.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { MiB } from '../base/units.ts';
import { shortened, shown, textOf } from '../base/text.ts';
import type { FrameDecoder } from '../channel/frame/framing.ts';
import { lengthPrefix } from '../channel/frame/length-prefix.ts';
import { lines } from '../channel/frame/lines.ts';
import { parseJson } from '../channel/message/json.ts';

export type FramingName = 'lines' | 'length-prefix';

export interface ReceivedMessage {
  readonly message: JsonObject;
  /** In milliseconds, by the clock of the conversation. */
  readonly at: number;
  /** How many messages were received before it. */
  readonly index: number;
  /** It was an item of an array. */
  readonly isInBatch: boolean;
}

export interface Line {
  readonly direction: 'sent' | 'received' | 'noise' | 'event';
  readonly text: string;
}

export class Transcript {
  readonly #lines: Line[] = [];
  readonly #received: ReceivedMessage[] = [];
  readonly #noise: string[] = [];
  #size = 0;

  /** All messages of the plugin, in order. */
  get received(): readonly ReceivedMessage[] {
    return this.#received;
  }

  /** Output on stdout that is not a message. */
  get noise(): readonly string[] {
    return this.#noise;
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** At the limit: no more is kept. */
  get isOverfull(): boolean {
    return this.#size > SIZE_MAX || this.#received.length + this.#noise.length > COUNT_MAX;
  }

  sent(text: string): void {
    this.#lines.push({ direction: 'sent', text: shortened(text, LINE_MAX) });
  }

  event(text: string): void {
    this.#lines.push({ direction: 'event', text });
  }

  /** One body of the framing, with the time of its arrival. */
  body(text: string, at: number): void {
    if (this.isOverfull) return;
    const messages = messagesIn(text);
    if (messages === undefined) return this.printed(text);
    this.#size += text.length;
    const isInBatch = text.trimStart().startsWith('[');
    for (const message of messages)
      this.#received.push({ message, at, index: this.#received.length, isInBatch });
    this.#lines.push({ direction: 'received', text: shortened(text, LINE_MAX) });
  }

  printed(text: string): void {
    if (this.isOverfull) return;
    this.#size += text.length;
    this.#noise.push(text);
    this.#lines.push({ direction: 'noise', text: shortened(text, LINE_MAX) });
  }

  /** The last lines, for the report. */
  excerpt(count = EXCERPT_LINES): string {
    return this.#lines
      .slice(-count)
      .map(({ direction, text }) => `${signs[direction]} ${text}`)
      .join('\n');
  }
}

const signs: Readonly<Record<Line['direction'], string>> = {
  sent: '→',
  received: '←',
  noise: '≁',
  event: '·',
};

const LINE_MAX = 240;
const EXCERPT_LINES = 6;
const SIZE_MAX = 64 * MiB;
const COUNT_MAX = 20_000;

/** One message, or those of a batch. */
function messagesIn(text: string): readonly JsonObject[] | undefined {
  try {
    const value = parseJson(text);
    const messages = isJsonArray(value) && value.length > 0 ? value : [value];
    return messages.every(isJsonObject) ? messages : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of one message, or of a text that is not a message. */
export function frameOf(body: Json, framing: FramingName): Buffer {
  const bytes = Buffer.from(textOf(body));
  if (framing === 'lines') return Buffer.concat([bytes, Buffer.from('\n')]);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes.length);
  return Buffer.concat([header, bytes]);
}

export function transcriber(transcript: Transcript, framing: FramingName, now: () => number): FrameDecoder {
  return (framing === 'lines' ? lines() : lengthPrefix()).decoder({
    body: (text, start, end) => transcript.body(text.slice(start, end), now()),
    noise: (bytes) => transcript.printed(bytes.toString()),
    oversize: (size, head) => transcript.printed(`${shown(head)} … (a message of ${size} bytes)`),
    torn: (size) => transcript.printed(`(the first ${size} bytes of a message that is not whole)`),
  });
}
