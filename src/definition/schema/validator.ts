// A small JSON Schema validator (draft 4 to 2020-12), so that an author's program loads no other. `format` is not checked.
// Neither a schema nor a value makes it take for ever or run out of stack: it gives up first, which is a refusal.
import type { Json, JsonObject } from '../../base/json.ts';
import type { Checked } from '../definition.ts';
import { compiler } from './compile.ts';
import { defaultsOf } from './defaults.ts';
import { GivenUp, Run } from './run.ts';

export interface ValidatorOptions {
  /**
   * Whether what is missing is filled in, where the schema has a default for it. The value that was given stays as it is.
   * @default false
   */
  readonly defaults?: boolean;
}

/**
 * Compiled once. The returned function takes JSON and never throws.
 * @throws Error when there is no sense in the schema
 */
export function validator(
  schema: JsonObject,
  { defaults = false }: ValidatorOptions = {},
): (value: unknown) => Checked {
  const check = compiler(schema)(schema);
  const fill = defaults ? defaultsOf(schema) : undefined;
  return (given) => {
    const run = new Run();
    try {
      // Whoever checks has read it from JSON.
      const value = fill === undefined ? (given as Json) : fill(given as Json, run);
      return check(value, undefined, run) ? { value } : { problems: run.told() };
    } catch (thrown) {
      if (thrown instanceof GivenUp) return { problems: [`they could not be checked: ${thrown.message}`] };
      throw thrown;
    }
  };
}
