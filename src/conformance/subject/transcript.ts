// What was said between a check and a plugin, within limits: a plugin may say much more than anybody wants to keep.
import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { shortened } from '../../base/shown.ts';
import { MiB } from '../../base/limits.ts';
import { parseJson } from '../../channel/message/json.ts';

export interface Heard {
  readonly message: JsonObject;
  /** Milliseconds, by the clock of the conversation. */
  readonly at: number;
  /** How many messages came before it. */
  readonly index: number;
  /** It came with others in an array, or as the only one of it. */
  readonly isInBatch: boolean;
}

export interface Line {
  readonly direction: 'sent' | 'heard' | 'noise' | 'event';
  readonly text: string;
}

export class Transcript {
  readonly #lines: Line[] = [];
  readonly #heard: Heard[] = [];
  readonly #noise: string[] = [];
  #size = 0;

  /** All messages of the plugin, in their order. */
  get heard(): readonly Heard[] {
    return this.#heard;
  }

  /** What the plugin wrote to its stdout and is no message. */
  get noise(): readonly string[] {
    return this.#noise;
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** More came than anybody asked for, so that no more is kept. */
  get isOverfull(): boolean {
    return this.#size > SIZE_MAX || this.#heard.length + this.#noise.length > COUNT_MAX;
  }

  sent(text: string): void {
    this.#lines.push({ direction: 'sent', text: shortened(text, LINE_MAX) });
  }

  event(text: string): void {
    this.#lines.push({ direction: 'event', text });
  }

  /** One body, as the framing found it, with the moment in which it came. */
  body(text: string, at: number): void {
    if (this.isOverfull) return;
    const messages = messagesIn(text);
    if (messages === undefined) return this.printed(text);
    this.#size += text.length;
    const isInBatch = text.trimStart().startsWith('[');
    for (const message of messages) this.#heard.push({ message, at, index: this.#heard.length, isInBatch });
    this.#lines.push({ direction: 'heard', text: shortened(text, LINE_MAX) });
  }

  printed(text: string): void {
    if (this.isOverfull) return;
    this.#size += text.length;
    this.#noise.push(text);
    this.#lines.push({ direction: 'noise', text: shortened(text, LINE_MAX) });
  }

  /** The last of it, for people. */
  excerpt(count = EXCERPT_LINES): string {
    return this.#lines
      .slice(-count)
      .map(({ direction, text }) => `${signs[direction]} ${text}`)
      .join('\n');
  }
}

const signs: Readonly<Record<Line['direction'], string>> = { sent: '→', heard: '←', noise: '≁', event: '·' };

const LINE_MAX = 240;
const EXCERPT_LINES = 6;
const SIZE_MAX = 64 * MiB;
const COUNT_MAX = 20_000;

/** One, or those of a batch. */
function messagesIn(text: string): readonly JsonObject[] | undefined {
  try {
    const value = parseJson(text);
    const messages = isJsonArray(value) && value.length > 0 ? value : [value];
    return messages.every(isJsonObject) ? messages : undefined;
  } catch {
    return undefined;
  }
}
