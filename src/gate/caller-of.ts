// Who calls, as programs without types may say it or leave it out.
import { isJsonObject } from '../base/json.ts';
import type { Caller } from '../definition/caller.ts';

/** Nobody said it: nothing is allowed to this one. */
export const nobody: Caller = { kind: 'client', name: '?' };

const kinds = new Set<unknown>(['user', 'model', 'job', 'client']);
/** Names may come from strangers. */
const NAME_MAX = 200;

export function callerOf(caller: unknown): Caller {
  if (!isJsonObject(caller) || !kinds.has(caller['kind'])) return nobody;
  const { name } = caller;
  // One of the four: the line above.
  const kind = caller['kind'] as Caller['kind'];
  return typeof name === 'string' && name !== '' ? { kind, name: name.slice(0, NAME_MAX) } : { kind };
}
