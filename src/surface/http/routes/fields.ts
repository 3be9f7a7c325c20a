// What stands in bodies of requests, held against what it has to be.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { callerKinds, type Caller } from '../../../definition/caller.ts';
import type { CallerContext } from '../../../definition/outcome.ts';
import type { ApiCallOptions } from '../../../runtime/api.ts';
import type { Exchange } from '../exchange.ts';
import { badRequest } from '../problem.ts';

const TIMEOUT_MAX_MS = 24 * 3600_000;
const kinds: readonly string[] = callerKinds;

export function textIn(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw badRequest(`"${name}" has to be a text.`);
  return value;
}

export function argsIn({ args = {} }: JsonObject): JsonObject {
  if (!isJsonObject(args)) throw badRequest('"args" has to be an object.');
  return args;
}

export function callOptions(
  body: JsonObject,
  { trace, caller: asking }: Exchange,
): ApiCallOptions & { readonly caller: Caller } {
  const { timeoutMs, context, caller } = body;
  if (
    timeoutMs !== undefined &&
    !(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)
  )
    throw badRequest(`"timeoutMs" has to be a number above 0, at most ${TIMEOUT_MAX_MS}.`);
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(context !== undefined && { context: contextIn(context) }),
    caller: caller === undefined ? asking : callerIn(caller, asking),
    ...(trace !== undefined && { trace }),
  };
}

function contextIn(context: Json): CallerContext {
  if (!isJsonObject(context)) throw badRequest('"context" has to be an object.');
  for (const [name, fits] of contextParts)
    if (context[name] !== undefined && !fits(context[name]))
      throw badRequest(`"context.${name}" is not what it has to be.`);
  return Object.fromEntries(
    contextParts.flatMap(([name]) => (context[name] === undefined ? [] : [[name, context[name]]])),
  );
}

const isText = (value: Json) => typeof value === 'string';
const isTexts = (value: Json) => isJsonObject(value) && Object.values(value).every(isText);
const contextParts: readonly (readonly [keyof CallerContext, (value: Json) => boolean])[] = [
  ['conversation', isJsonArray],
  ['systemInfo', isText],
  ['workdir', isText],
  ['phase', (value) => value === 'setup' || value === 'verify' || value === 'cleanup'],
  ['env', isTexts],
  ['agent', isTexts],
];

/** The user may call in the name of somebody who may less; whoever has a token says no more than its name. */
function callerIn(value: unknown, asking: Caller): Caller {
  const { kind = asking.kind, name } = isJsonObject(value) ? value : {};
  if (typeof kind !== 'string' || !kinds.includes(kind) || (name !== undefined && typeof name !== 'string'))
    throw badRequest(`"caller" has to be { kind, name? } with a kind of ${kinds.join(', ')}.`);
  if (asking.kind === 'client' && kind !== 'client')
    throw badRequest('Whoever comes with a token calls as a client: leave out "caller.kind".');
  // One of them: the line above.
  return { ...asking, kind: kind as Caller['kind'], ...(name !== undefined && { name }) };
}
