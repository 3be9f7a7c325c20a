// What an operation says while it runs, as the log notifications of gevals.
import { isJsonObject, type Json } from '../../base/json.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Notice } from '../notices.ts';
import { firstFitting, roomFor, textRooms } from './fitting.ts';
import { shortened } from './shorten.ts';

export function logNotice(entry: LogEntry): Notice {
  return { method: 'log', params: firstFitting(forms(entry), roomFor()) };
}

/** Data is an object on the wire. */
function* forms({ level, message, data }: LogEntry): Generator<Json> {
  const about = data === undefined ? {} : { data: isJsonObject(data) ? data : { value: data } };
  yield { level, message, ...about };
  yield { level, message: shortened(message, 30_000), ...about };
  for (const room of textRooms) yield { level, message: shortened(message, room) };
}

/** How much of a line that does not end is kept back. */
const LINE_MAX = 16_384;

/**
 * The events of one operation, as logs. Streamed text is logged by whole lines as they come; an unfinished last line is not, since all of
 * the text stands in the message of the result.
 */
export class OperationLog {
  readonly #log: (entry: LogEntry) => void;
  #unfinished = '';

  constructor(log: (entry: LogEntry) => void) {
    this.#log = log;
  }

  event(event: CallEvent): void {
    switch (event.kind) {
      case 'text':
        this.#text(event.text);
        break;
      case 'log': {
        const { level, message, data } = event;
        this.#log({ level, message, ...(data === undefined ? {} : { data }) });
        break;
      }
      case 'progress': {
        const { progress, total, message = 'Progress' } = event;
        this.#log({ level: 'info', message, data: { progress, ...(total === undefined ? {} : { total }) } });
        break;
      }
    }
  }

  #text(text: string): void {
    this.#unfinished += text;
    const end = this.#unfinished.lastIndexOf('\n');
    const isLong = this.#unfinished.length - end > LINE_MAX;
    const cut = isLong ? this.#unfinished.length : end;
    if (cut === -1) return;
    const message = this.#unfinished.slice(0, cut);
    this.#unfinished = this.#unfinished.slice(isLong ? cut : cut + 1);
    if (message.trim() !== '') this.#log({ level: 'info', message });
  }
}
