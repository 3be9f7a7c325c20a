// Who calls, as programs without types may say it or leave it out.
import { isJsonObject } from '../base/json.ts';
import { callerKinds, type Caller } from '../definition/caller.ts';

/** Nobody said it: nothing is allowed to this one. */
export const nobody: Caller = { kind: 'client', name: '?' };

const kinds = new Set<unknown>(callerKinds);
/** Names may come from strangers. */
const NAME_MAX = 200;

export function callerOf(caller: unknown): Caller {
  if (!isJsonObject(caller) || !kinds.has(caller['kind'])) return nobody;
  const { name, access, profile, isProfileChosen, connection } = caller;
  // One of them: the line above.
  const kind = caller['kind'] as Caller['kind'];
  const named: Caller =
    typeof name === 'string' && name !== '' ? { kind, name: name.slice(0, NAME_MAX) } : { kind };
  if (access === undefined && profile === undefined && connection === undefined) return named;
  return {
    ...named,
    ...(typeof access === 'string' && { access }),
    ...(typeof profile === 'string' && { profile }),
    ...(isProfileChosen === true && { isProfileChosen }),
    ...(typeof connection === 'string' && { connection }),
  };
}
