// A message for people who look at it: as JSON, without secrets, and of one that is very long the beginning.
import type { Json } from '../../base/json.ts';
import { KiB } from '../../base/limits.ts';
import { maskedJson } from '../../base/masked-json.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { begunJson } from './begun-json.ts';
import { onWire } from './wire-form.ts';

export interface ShownMessage {
  /** Characters of the whole message. */
  readonly size: number;
  /** At most so many as were asked for. */
  readonly text: string;
}

/** All of it as JSON, as it is now. */
export function writtenMessage(message: Message | Received): string {
  return written(() => onWire(message));
}

/** @param whole the message, written */
export function shownMessage(
  message: Message | Received,
  secrets: Secrets,
  maxLength: number,
  whole = writtenMessage(message),
): ShownMessage {
  if (isLong(whole)) {
    const begun = written(() => maskedBeginning(onWire(message), secrets, maxLength + CUT_MARGIN));
    return { size: whole.length, text: begun.slice(0, maxLength) };
  }
  // Most have nothing to hide, and are not taken apart for it.
  const shown = secrets.isClean(whole)
    ? whole
    : // What JSON.parse gives is JSON.
      written(() => secrets.maskJson(JSON.parse(whole) as Json));
  return { size: shown.length, text: shown.slice(0, maxLength) };
}

/** Only the beginning of such a one is looked at, which is all that is shown of it. */
export function isLong(whole: string): boolean {
  return whole.length > 128 * KiB;
}

/** Looked at beyond what is shown, so that no secret is cut in half there. */
const CUT_MARGIN = 4096;

function maskedBeginning(message: unknown, secrets: Secrets, characters: number): Json {
  const { value, cut } = begunJson(message, characters);
  return maskedJson(value, { text: (text) => secrets.mask(text, text === cut ? 'piece' : 'whole') });
}

/** A plugin can nest deeper than anybody can write down. */
function written(value: () => unknown): string {
  try {
    return JSON.stringify(value());
  } catch {
    return '"(nested too deeply to be shown)"';
  }
}
