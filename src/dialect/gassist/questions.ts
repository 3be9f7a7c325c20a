// What a host asks of a plugin, as typed values. Hosts leave out what they do not have, or write it as null. Nothing here throws.
import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { CallerContext, CallRequest } from '../../definition/outcome.ts';
import { isPresent } from './schema.ts';

export type Execute = Pick<CallRequest, 'tool' | 'args' | 'context'> | { readonly problem: string };

export function parseExecute(params: JsonObject): Execute {
  const { function: tool, arguments: args } = params;
  if (typeof tool !== 'string')
    return { problem: `"execute" names a function, as text, in "function"; got ${shown(tool)}.` };
  if (isPresent(args) && !isJsonObject(args))
    return {
      problem: `"execute" of "${tool}" has its arguments as an object, in "arguments"; got ${shown(args)}.`,
    };
  return { tool, args: args ?? {}, context: contextIn(params) };
}

/** What surrounds a call only helps: what cannot be used of it is left out. */
function contextIn({ context, system_info: systemInfo }: JsonObject): CallerContext {
  return {
    ...(isJsonArray(context) && { conversation: context }),
    ...(typeof systemInfo === 'string' && { systemInfo }),
  };
}

/** What the user said; undefined when there is no such text. */
export function parseInput({ content }: JsonObject): string | undefined {
  return typeof content === 'string' ? content : undefined;
}
