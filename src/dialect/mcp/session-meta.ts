// That a tool keeps the session, for which MCP has no words: servers of ours tell it in the _meta of a result, for our host, and in a part of its own
// for all others.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { howToGoOn } from '../say-tool.ts';

const KEPT = 'pluglot/keepSession';
const HINT = 'pluglot/howToGoOn';

export function sessionMeta(): JsonObject {
  return { [KEPT]: true };
}

export function readSessionMeta(meta: unknown): { keepSession?: true } {
  return isJsonObject(meta) && meta[KEPT] === true ? { keepSession: true } : {};
}

export function hintPart(say: string): JsonObject {
  return {
    type: 'text',
    text: howToGoOn(say),
    annotations: { audience: ['assistant'] },
    _meta: { [HINT]: true },
  };
}

/** It is no part of what the tool said. */
export function isHintPart(part: Json): boolean {
  const meta = isJsonObject(part) ? part['_meta'] : undefined;
  return isJsonObject(meta) && meta[HINT] === true;
}
