// How much a call may say before its end: all of it is kept for whoever reads it.
import { jsonSize } from '../../base/json-size.ts';
import type { CallEvent } from '../../definition/outcome.ts';

/** In characters, of all that a call says before its end. */
export const SAID_MAX = 64 * 1024 * 1024;

/** What an event costs that says nothing. */
const EVENT_COST = 64;

/** In characters. */
export function costOf(event: CallEvent): number {
  if (event.kind === 'text') return EVENT_COST + event.text.length;
  const data = event.kind === 'log' && event.data !== undefined ? jsonSize(event.data) : 0;
  return EVENT_COST + (event.message?.length ?? 0) + data;
}
