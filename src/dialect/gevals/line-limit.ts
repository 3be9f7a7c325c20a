// Extensions and hosts read lines with Go's scanner, which gives up at 64 KiB. What is longer is shortened here before it is sent.
import type { Id } from '../../channel/message/message.ts';
import type { AgentContext, ExecuteParams } from './schema.ts';

/** In bytes, without the LF. */
export const LINE_LIMIT = 65_535;

const REQUEST_ENVELOPE = `{"jsonrpc":"2.0","id":${Number.MAX_SAFE_INTEGER},"method":"execute","params":}`
  .length;

export type FittedParams = {
  readonly params: ExecuteParams;
  /** What was shortened, in sentences. */
  readonly cuts: readonly string[];
};

/** The same call with the agent's texts shortened to fit the line; undefined when other parts are too long. */
export function fitParams(params: ExecuteParams): FittedParams | undefined {
  const cuts: string[] = [];
  let fitting = params;
  for (const field of ['output', 'prompt'] as const) {
    const text = fitting.context.agent?.[field] ?? '';
    const room = LINE_LIMIT - REQUEST_ENVELOPE - sizeOf(withAgent(fitting, { [field]: '' }));
    const short = shortened(text, room);
    // Compared in bytes: a text that JSON has to escape can become shorter on the wire and longer in characters.
    const [before, after] = [bytesOf(text), bytesOf(short)];
    if (after < before) {
      fitting = withAgent(fitting, { [field]: short });
      cuts.push(
        `agent.${field} was shortened from ${before} to ${after} bytes: an extension reads lines of up to ${LINE_LIMIT} bytes.`,
      );
    }
    if (sizeOf(fitting) + REQUEST_ENVELOPE <= LINE_LIMIT) return { params: fitting, cuts };
  }
  return undefined;
}

function withAgent(params: ExecuteParams, agent: AgentContext): ExecuteParams {
  const { context } = params;
  return { ...params, context: { ...context, agent: { ...context.agent, ...agent } } };
}

/** The longest that stands around a result or the params of a log: `jsonrpc`, member names, the method. */
const ENVELOPE = 80;

/** The room for an answer to this request; without an id, for a notification. */
export function roomFor(id: Id = null): number {
  // Characters of ids outside ASCII are written as escapes of six.
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

/** The begin and end of a text with a note between them, so that it takes no more than this room as JSON. */
export function shortened(text: string, room: number): string {
  if (text.length <= room && bytesOf(text) <= room) return text;
  const note = ` [… ${text.length} characters were too many for one line; some are left out here …] `;
  const forText = room - bytesOf(note);
  const start = longest(Math.ceil(forText / 2), (length) => wholeStart(text, length));
  const end = longest(forText - bytesOf(start), (length) => wholeEnd(text, length));
  return start + note + end;
}

/** The room that a text takes within the quotes of JSON. */
function bytesOf(text: string): number {
  return sizeOf(text) - 2;
}

/** The size as JSON, in bytes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The longest piece that fits. No character takes less than a byte, so longer ones need not be tried. */
function longest(room: number, piece: (length: number) => string): string {
  let fits = 0;
  let tooLong = Math.max(0, room) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(piece(middle)) <= room) fits = middle;
    else tooLong = middle;
  }
  return piece(fits);
}

/** Half a surrogate pair would become another character. */
function wholeStart(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

function wholeEnd(text: string, length: number): string {
  const isHalf = /[\uDC00-\uDFFF]/.test(text.charAt(text.length - length));
  return length === 0 ? '' : text.slice(text.length - length + (isHalf ? 1 : 0));
}
