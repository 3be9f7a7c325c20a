// Extensions read lines with Go's scanner, which gives up at 64 KiB. What is longer is never sent: the words of the agent are shortened.
import type { AgentContext, ExecuteParams } from './schema.ts';

/** In bytes, without the LF. */
export const LINE_LIMIT = 65_535;

const ENVELOPE = `{"jsonrpc":"2.0","id":${Number.MAX_SAFE_INTEGER},"method":"execute","params":}`.length;

export type Fitted = {
  readonly params: ExecuteParams;
  /** What was shortened, in sentences. */
  readonly cuts: readonly string[];
};

/** The same call in a line that can be read; undefined when it is not the words of the agent that make it too long. */
export function fitted(params: ExecuteParams): Fitted | undefined {
  const cuts: string[] = [];
  let fitting = params;
  for (const field of ['output', 'prompt'] as const) {
    const text = fitting.context.agent?.[field] ?? '';
    const room = LINE_LIMIT - ENVELOPE - sizeOf(withAgent(fitting, { [field]: '' }));
    const short = shortened(text, room);
    // Compared in bytes: a text that JSON has to escape can become shorter on the wire and longer in characters.
    const [before, after] = [bytesOf(text), bytesOf(short)];
    if (after < before) {
      fitting = withAgent(fitting, { [field]: short });
      cuts.push(
        `agent.${field} was shortened from ${before} to ${after} bytes: an extension reads lines of up to ${LINE_LIMIT} bytes.`,
      );
    }
    if (sizeOf(fitting) + ENVELOPE <= LINE_LIMIT) return { params: fitting, cuts };
  }
  return undefined;
}

/** Its size as JSON, in bytes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function withAgent(params: ExecuteParams, agent: AgentContext): ExecuteParams {
  const { context } = params;
  return { ...params, context: { ...context, agent: { ...context.agent, ...agent } } };
}

/** Begin and end of a text, so that it takes no more room than this as JSON, and a note between them. */
function shortened(text: string, room: number): string {
  if (text.length <= room && bytesOf(text) <= room) return text;
  const note = ` [… ${text.length} characters were too many for one line; some are left out here …] `;
  const forText = room - bytesOf(note);
  const start = longest(Math.ceil(forText / 2), (length) => wholeStart(text, length));
  const end = longest(forText - bytesOf(start), (length) => wholeEnd(text, length));
  return start + note + end;
}

/** The longest piece that fits. No character takes less than a byte, so no longer one has to be tried. */
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

function bytesOf(text: string): number {
  return sizeOf(text) - 2;
}

/** Half a character would become something else on its way. */
function wholeStart(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

function wholeEnd(text: string, length: number): string {
  const isHalf = /[\uDC00-\uDFFF]/.test(text.charAt(text.length - length));
  return length === 0 ? '' : text.slice(text.length - length + (isHalf ? 1 : 0));
}
