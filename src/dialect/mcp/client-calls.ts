// Calls of tools through the official client: over HTTP, and to servers of 2026 and later.
import type { Tool as RawTool } from '@modelcontextprotocol/client';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Trace } from '../../base/trace.ts';
import type { McpCall } from './call.ts';
import { LONGEST_MS } from './hello.ts';
import type { KnownTools } from './known-tools.ts';
import type { Line } from './line.ts';
import { anything, type Questions } from './questions.ts';
import { answersTo } from './relayed-questions.ts';
import { methods } from './schema.ts';
import { readInputRequired } from './server-words.ts';

/** A server that asks more often in one call has lost its way. */
const ROUNDS_MAX = 16;

export interface CallParams {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly _meta: { readonly progressToken: number } & Partial<Trace>;
}

export interface ClientCallsParts {
  readonly line: Line;
  readonly tools: KnownTools;
  readonly relaysQuestions: boolean;
}

/** The result as it came. A server of 2026 and later that asks something answers with that, and is asked again with what it wanted to know. */
export async function callWithClient(
  { client }: Questions,
  params: CallParams,
  call: McpCall,
  parts: ClientCallsParts,
): Promise<unknown> {
  let answers = {};
  for (let round = 0; ; round += 1) {
    const result = await sendOnce(client, { ...params, ...answers }, call.signal, parts);
    const asked = readInputRequired(result);
    if (asked === undefined) return result;
    if (round === ROUNDS_MAX) throw new PluglotError('TOOL_FAILED', `"${params.name}" does not stop asking.`);
    const inputResponses = await answersTo(asked.requests, call.asker, call.signal);
    answers = { inputResponses, ...asked.state };
  }
}

function sendOnce(
  client: Questions['client'],
  params: CallParams,
  signal: AbortSignal,
  { line, tools, relaysQuestions }: ClientCallsParts,
): Promise<unknown> {
  const options = { signal, timeout: LONGEST_MS, allowInputRequired: relaysQuestions };
  if (line.kind === 'pipe' || client.getProtocolEra() !== 'modern')
    return client.request({ method: methods.callTool, params: { ...params } }, anything, options);
  // From 2026 on a call over HTTP repeats some arguments as headers, which the definition of the tool names.
  const definition = tools.rawOf(params.name) as RawTool | undefined; // the client reads its schema with care
  return client.callTool(
    { ...params },
    definition === undefined
      ? options
      : { ...options, toolDefinition: { ...definition, outputSchema: undefined } },
  );
}
