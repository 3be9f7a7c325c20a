// What the keywords of JSON Schema are made of.
import type { Json, JsonObject } from '../../base/json.ts';
import type { Place } from './place.ts';
import type { Run } from './run.ts';

/** Whether a value fits; tells the run why not. */
export type Check = (value: Json, place: Place | undefined, run: Run) => boolean;

/**
 * From the value of a keyword, and the schema it stands in, to a check. Undefined when there is nothing to check, such as for a keyword
 * that another one looks at, or whose value makes no sense.
 */
export type Keyword = (keyword: Json, schema: JsonObject, compile: Compile) => Check | undefined;

/** @throws Error when there is no sense in it */
export interface Compile {
  (schema: Json): Check;
  reference(reference: string): Check;
  /** A function that tells whether a text has a match. */
  pattern(source: string): TestPattern;
}

/** @throws GivenUp when it takes too long */
export type TestPattern = (text: string) => boolean;
