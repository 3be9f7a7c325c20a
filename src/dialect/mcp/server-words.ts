// What a server says beside its results, read once at the door. Nothing here throws.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ServerNews } from '../host-dialect.ts';
import { notifications } from './schema.ts';

/** Undefined when it does not say which resource it is about. */
export function readNews(method: string, params: unknown): ServerNews | undefined {
  if (method === notifications.resourcesChanged) return { kind: 'resources-changed' };
  if (method === notifications.promptsChanged) return { kind: 'prompts-changed' };
  const uri = isJsonObject(params) ? params['uri'] : undefined;
  return typeof uri === 'string' ? { kind: 'resource-updated', uri } : undefined;
}

export interface InputRequired {
  readonly requests: JsonObject;
  /** To be given back as it came. */
  readonly state: { readonly requestState?: string };
}

/** Undefined when it is a result. */
export function readInputRequired(result: unknown): InputRequired | undefined {
  if (!isJsonObject(result) || result['resultType'] !== 'input_required') return undefined;
  const { inputRequests, requestState } = result;
  return {
    requests: isJsonObject(inputRequests) ? inputRequests : {},
    state: typeof requestState === 'string' ? { requestState } : {},
  };
}
