// Extensions read lines with Go's scanner, which gives up at 64 KiB. What is longer is never sent: the words of the agent are shortened.
import type { AgentContext, ExecuteParams } from './schema.ts';
import { bytesOf, shortened, sizeOf } from './shorten.ts';

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

function withAgent(params: ExecuteParams, agent: AgentContext): ExecuteParams {
  const { context } = params;
  return { ...params, context: { ...context, agent: { ...context.agent, ...agent } } };
}
