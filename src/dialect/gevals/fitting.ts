// What an extension says has to fit a line that Go's scanner can read.
import type { Id } from '../../channel/message/message.ts';
import { LINE_LIMIT } from './line-limit.ts';
import { sizeOf } from './shorten.ts';

/** The longest that stands around what is said: `jsonrpc`, names of members, the name of a method. */
const ENVELOPE = 80;

/** How much may be said in answer to this request; without an id, in a notification. */
export function roomFor(id: Id = null): number {
  // Characters of ids that are no ASCII are written as escapes of six.
  return LINE_LIMIT - ENVELOPE - (typeof id === 'string' ? 6 * id.length : 0);
}

/** The first of several forms of one thing, from the fullest to the barest, that fits; the barest when none does. */
export function firstFitting<Form>(forms: Iterable<Form>, room: number): Form | undefined {
  let barest: Form | undefined;
  for (const form of forms) {
    if (sizeOf(form) <= room) return form;
    barest = form;
  }
  return barest;
}

/** How long each of several texts may be, from generous to a sentence. */
export const textRooms: readonly number[] = [60_000, 30_000, 15_000, 7500, 3000, 1000, 300];
