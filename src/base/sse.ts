// Server-sent events: the one reader, for pieces of text and for the bytes of an HTTP answer.
import { PluglotError } from './error.ts';

export interface ServerEvent {
  /** @default 'message' */
  readonly name: string;
  /** Empty if the event has no data, such as one with an id alone. */
  readonly data: string;
  readonly id?: string;
  /** How long to wait before the stream is opened again. */
  readonly retryMs?: number;
}

/** No event of a host is larger: a call emits at most 64 Mi characters, in events of 16 MiB each. */
const EVENT_MAX = 128 * 1024 * 1024;

/** Reads a body whose own limit bounds the size of an event. */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const parse = sseParser(Infinity);
  for await (const chunk of body) yield* parse(decoder.decode(chunk, { stream: true }));
}

/** The returned function gives the events that are complete. @throws PluglotError FRAME_TOO_LARGE */
export function sseParser(maxCharacters = EVENT_MAX): (piece: string) => ServerEvent[] {
  const lines = new Lines();
  let fields = new EventFields();
  let size = 0;
  return (piece) => {
    const events: ServerEvent[] = [];
    size += piece.length;
    for (const line of lines.push(piece)) {
      if (line !== '') {
        fields.add(line);
        continue;
      }
      const event = fields.complete();
      fields = new EventFields();
      if (event !== undefined) events.push(event);
      size = lines.rest;
    }
    if (size > maxCharacters)
      throw new PluglotError(
        'FRAME_TOO_LARGE',
        `The host sent more than ${maxCharacters} characters in one event.`,
      );
    return events;
  };
}

/** A line ends with LF, CR or both. Only new text is searched, so that a long line costs no more than its length. */
class Lines {
  #pieces: string[] = [];
  #isAfterCR = false;
  /** Characters of the current piece behind the line that was given last. */
  rest = 0;

  *push(text: string): Generator<string> {
    let start = this.#isAfterCR && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#isAfterCR = false;
    const lineEnd = /\r\n?|\n/g;
    lineEnd.lastIndex = start;
    for (let found = lineEnd.exec(text); found !== null; found = lineEnd.exec(text)) {
      this.#pieces.push(text.slice(start, found.index));
      start = lineEnd.lastIndex;
      this.rest = text.length - start;
      this.#isAfterCR = found[0] === '\r' && start === text.length;
      yield this.#pieces.splice(0).join('');
    }
    if (start < text.length) this.#pieces.push(text.slice(start));
  }
}

class EventFields {
  #data: string[] = [];
  #id: string | undefined;
  #name = 'message';
  #retryMs: number | undefined;

  add(line: string): void {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }

  /** Undefined when nothing but comments came. */
  complete(): ServerEvent | undefined {
    if (this.#data.length === 0 && this.#id === undefined && this.#retryMs === undefined) return undefined;
    return {
      name: this.#name,
      data: this.#data.join('\n'),
      ...(this.#id !== undefined && { id: this.#id }),
      ...(this.#retryMs !== undefined && { retryMs: this.#retryMs }),
    };
  }
}
