// That a tool needs no question, by its author's word: MCP has no word for it, so it is told where other ends do not look.
import { isJsonObject, type JsonObject } from '../../base/json.ts';

const KEY = 'pluglot/autoApprove';

export function toolMeta(): JsonObject {
  return { _meta: { [KEY]: true } };
}

export function readToolMeta(meta: unknown): { autoApprove?: true } {
  return isJsonObject(meta) && meta[KEY] === true ? { autoApprove: true } : {};
}
