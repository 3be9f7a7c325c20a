// What a progress notification is, beyond what MCP has words for: a piece of text that is streamed, or a progress that did not rise. Servers
// of ours tell it in its _meta, and our host reads it there; for all others it is progress with a message.
import { isJsonObject, type JsonObject } from '../../base/json.ts';

const TEXT = 'pluglot/text';
const PROGRESS = 'pluglot/progress';

/** The message is a piece of the text that the call streams. */
export function textMeta(): JsonObject {
  return { _meta: { [TEXT]: true } };
}

/** As the author counts it. */
export function progressMeta(progress: number): JsonObject {
  return { _meta: { [PROGRESS]: progress } };
}

export function readProgressMeta(meta: unknown): { readonly isText: boolean; readonly progress?: number } {
  if (!isJsonObject(meta)) return { isText: false };
  const { [TEXT]: isText, [PROGRESS]: progress } = meta;
  return { isText: isText === true, ...(typeof progress === 'number' && { progress }) };
}
