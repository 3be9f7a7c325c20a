// The notifications of a plugin, each small enough for one message. Official ends lose step for good at one that is larger.
import type { Json } from '../../base/json.ts';
import { KiB } from '../../base/limits.ts';
import { shortened, textOf } from '../../base/shown.ts';
import type { Id } from '../../channel/message/message.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { detailsOf, withSuggestions } from '../failure.ts';
import { wireCodeOf } from './codes.ts';
import type { Notification } from './outbox.ts';

/** In characters. As JSON in UTF-8 one has six bytes at most, so that a text of this length is under 10 MiB. */
const TEXT_MAX = 1536 * KiB;

/** For messages that people read. */
const WORDS_MAX = 64 * KiB;

/** What is around the text. */
const ENVELOPE_SIZE = 100;

export function streamed(requestId: Id, text: string): readonly Notification[] {
  return piecesOf(text).map((data) => ({
    method: 'stream',
    params: { request_id: requestId, data },
    size: data.length + ENVELOPE_SIZE,
  }));
}

/** The end of a call. What was streamed is not said again. A text that is too long for one message is streamed instead: hosts put the two together. */
export function ended(requestId: Id, answer: Answer, streamedLength: number): readonly Notification[] {
  const text = unstreamed(answer, streamedLength);
  if (!answer.ok) return [...streamed(requestId, text), failed(requestId, answer.error, answer)];
  const said = text === '' ? dataText(answer) : text;
  const isLong = said.length > TEXT_MAX;
  const data = isLong ? '' : said;
  return [
    ...(isLong ? streamed(requestId, said) : []),
    {
      method: 'complete',
      // Always text: the emulator hangs on anything else.
      params: { request_id: requestId, success: true, data, keep_session: answer.keepSession === true },
      size: data.length + ENVELOPE_SIZE,
    },
  ];
}

/** Without a `complete` after it, as official plugins do it. */
function failed(requestId: Id, failure: CallFailure, { data, keepSession }: AnswerContent): Notification {
  // What the specification has no words for goes along as data.
  const more = fitting(detailsOf(data === undefined ? failure : { data, ...failure }));
  const message = shortened(withSuggestions(failure), WORDS_MAX);
  return {
    method: 'error',
    params: {
      request_id: requestId,
      code: wireCodeOf(failure.code),
      message,
      ...(more !== undefined && { data: more.value }),
      ...(keepSession === true && { keep_session: true }),
    },
    size: message.length + (more?.length ?? 0) + ENVELOPE_SIZE,
  };
}

/** The id is left out where it can be no other: so it stands in the specification. */
export function logged({ level, message, data }: LogEntry, requestId?: Id): Notification {
  const more = fitting(data);
  const words = shortened(message, WORDS_MAX);
  return {
    method: 'log',
    params: {
      ...(requestId !== undefined && { request_id: requestId }),
      level,
      message: words,
      ...(more !== undefined && { data: more.value }),
    },
    size: words.length + (more?.length ?? 0) + ENVELOPE_SIZE,
  };
}

/** The text of an answer begins with what was streamed. */
function unstreamed({ text = '' }: AnswerContent, streamedLength: number): string {
  return text.slice(streamedLength);
}

function dataText({ data, outputs }: AnswerContent): string {
  const value = data ?? outputs;
  return value === undefined ? '' : textOf(value);
}

/** Undefined when it is too large, or has no JSON form: what it goes along with is what counts. */
function fitting(value: Json | undefined): { readonly value: Json; readonly length: number } | undefined {
  if (value === undefined) return undefined;
  try {
    const { length } = JSON.stringify(value);
    return length > TEXT_MAX ? undefined : { value, length };
  } catch {
    return undefined;
  }
}

function piecesOf(text: string): string[] {
  if (text.length <= TEXT_MAX) return text === '' ? [] : [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + TEXT_MAX;
    // A character of two halves is not torn.
    const isTorn = isFirstHalf(text.charCodeAt(end - 1)) && end < text.length;
    pieces.push(text.slice(at, isTorn ? end - 1 : end));
    at = isTorn ? end - 1 : end;
  }
  return pieces;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
