// What of a tool MCP has no words for, told where other ends do not look: that it needs no question, by its author's word, and that it stands for
// a conversation.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';

const AUTO_APPROVE = 'pluglot/autoApprove';
const FACET = 'pluglot/facet';

export function toolMeta({ autoApprove, facet }: Pick<Tool, 'autoApprove' | 'facet'>): JsonObject {
  const meta = {
    ...(autoApprove === true ? { [AUTO_APPROVE]: true } : {}),
    ...(facet === 'talk' ? { [FACET]: facet } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

export function readToolMeta(meta: unknown): Pick<Tool, 'autoApprove' | 'facet'> {
  if (!isJsonObject(meta)) return {};
  return {
    ...(meta[AUTO_APPROVE] === true ? { autoApprove: true } : {}),
    ...(meta[FACET] === 'talk' ? { facet: 'talk' } : {}),
  };
}
