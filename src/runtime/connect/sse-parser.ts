// Server-sent events from the pieces of text they come in.
import { PluglotError } from '../../base/error.ts';

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** No event of ours is larger: a call says at most 64 Mi characters, in events of 16 MiB each. */
const EVENT_MAX = 128 * 1024 * 1024;

/** Gives the events that are complete. @throws PluglotError FRAME_TOO_LARGE */
export function sseParser(maxCharacters = EVENT_MAX): (piece: string) => ServerEvent[] {
  /** Of the line that goes on; joined when it ends, so that a long one costs no more than its length. */
  let line: string[] = [];
  let name = 'message';
  let data: string[] = [];
  let size = 0;
  return (piece) => {
    const events: ServerEvent[] = [];
    const take = (text: string) => {
      if (text === '') {
        if (data.length > 0) events.push({ name, data: data.join('\n') });
        [name, data, size] = ['message', [], 0];
        return;
      }
      const colon = text.indexOf(':');
      const field = colon === -1 ? text : text.slice(0, colon);
      const value = colon === -1 ? '' : text.slice(text.startsWith(' ', colon + 1) ? colon + 2 : colon + 1);
      if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
    };
    let from = 0;
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', from)) {
      line.push(piece.slice(from, at));
      const whole = line.join('');
      line = [];
      take(whole.endsWith('\r') ? whole.slice(0, -1) : whole);
      from = at + 1;
    }
    const rest = piece.slice(from);
    if (rest !== '') line.push(rest);
    size += piece.length;
    if (events.length > 0) size = rest.length;
    if (size > maxCharacters)
      throw new PluglotError(
        'FRAME_TOO_LARGE',
        `The host says more than ${maxCharacters} characters in one event.`,
      );
    return events;
  };
}
