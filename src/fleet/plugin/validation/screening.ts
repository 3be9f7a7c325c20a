// A first look at a schema from a plugin: whether it is of a sane size, and whether checking against it could take for ever.
import type { Json } from '../../../base/json.ts';
import { isQuickPattern } from '../../../definition/schema/quick-pattern.ts';
import type { JsonSchema } from '../../../definition/tool.ts';

export interface Screening {
  /** Nothing says how long a check may take. */
  readonly isSlow: boolean;
  readonly hasDefaults: boolean;
}

const DEPTH_MAX = 64;
const NODES_MAX = 50_000;
const CHARACTERS_MAX = 1024 * 1024;
/** Each reference has a check done once more; up to so many that stays small. */
const REFERENCES_MAX = 4;

/** @throws Error when it is too large */
export function screen(schema: JsonSchema): Screening {
  let nodes = 0;
  let characters = 0;
  let references = 0;
  let isNested = false;
  let hasDefaults = false;
  let isSlow = false;
  const visit = (value: Json, depth: number, isShared: boolean) => {
    nodes += 1;
    if (typeof value === 'string') characters += value.length;
    if (nodes > NODES_MAX || characters > CHARACTERS_MAX) throw new Error('it is too large.');
    if (typeof value !== 'object' || value === null) return;
    if (depth > DEPTH_MAX) throw new Error(`it is more than ${DEPTH_MAX} levels deep.`);
    for (const [key, inner] of Object.entries(value)) {
      characters += key.length;
      if (key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef') {
        references += 1;
        isNested ||= isShared || !isPlainReference(inner);
      } else if (key === 'default') hasDefaults = true;
      else if (key === 'pattern' && typeof inner === 'string') isSlow ||= !isQuickPattern(inner);
      else if (key === 'patternProperties' && typeof inner === 'object')
        isSlow ||= !Object.keys(inner ?? {}).every(isQuickPattern);
      visit(inner, depth + 1, isShared || key === '$defs' || key === 'definitions');
    }
  };
  visit(schema, 0, false);
  // Two references to where references are can double the work at every level of the arguments.
  const mayMultiply = references > REFERENCES_MAX || (references > 1 && isNested);
  return { isSlow: isSlow || mayMultiply, hasDefaults };
}

/** To a part that is there to be referred to. */
function isPlainReference(target: Json): boolean {
  return typeof target === 'string' && /^#\/(?:\$defs|definitions)\/[^/]+$/.test(target);
}
