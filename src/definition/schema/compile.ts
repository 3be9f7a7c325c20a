// From a schema to a function that checks.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { arrayKeywords } from './array-keywords.ts';
import { combiningKeywords } from './combining-keywords.ts';
import { isSecret } from './is-secret.ts';
import type { Check, Compile, Keyword } from './keyword.ts';
import { objectKeywords } from './object-keywords.ts';
import { patternTester } from './pattern.ts';
import { resolveReference } from './resolve-reference.ts';
import { scalarKeywords, typeKeyword } from './scalar-keywords.ts';

const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...scalarKeywords, ...arrayKeywords, ...objectKeywords, ...combiningKeywords }),
);

/** They depend on what other keywords have seen, which is not kept here. */
const unsupported = new Set(['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef']);

/** No real schema is as deep. */
const DEPTH_MAX = 500;

/** For the parts of one schema. */
export function compiler(root: JsonObject): Compile {
  const references = new Map<string, Check>();
  let depth = 0;
  const compile: Compile = Object.assign(
    (schema: Json): Check => {
      if (schema === false) return (_, place, run) => run.wrong(place, () => 'is not allowed');
      if (!isJsonObject(schema)) return () => true;
      if (++depth > DEPTH_MAX) throw new Error(`it is more than ${DEPTH_MAX} levels deep.`);
      const checks = checksOf(schema, compile);
      depth -= 1;
      const check = together(checks, typeKeyword(schema['type']));
      return isSecret(schema) ? withoutValue(check) : check;
    },
    {
      pattern: patternTester(),
      reference(reference: string): Check {
        if (!references.has(reference)) {
          // Whoever refers to itself finds this one until the real one is there.
          references.set(reference, () => true);
          references.set(reference, compile(resolveReference(root, reference)));
        }
        return (value, place, run) => references.get(reference)?.(value, place, run) ?? true;
      },
    },
  );
  return compile;
}

function checksOf(schema: JsonObject, compile: Compile): Check[] {
  const checks: Check[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (unsupported.has(keyword))
      throw new Error(
        `"${keyword}" is not supported; say it with "additionalProperties", "items" or "$ref".`,
      );
    const check = keywords.get(keyword)?.(value, schema, compile);
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

/** What is wrong with a secret would tell the secret: problems are logged and shown. */
function withoutValue(check: Check): Check {
  return (value, place, run) =>
    run.quietly(() => check(value, place, run)) ||
    run.wrong(place, () => 'is not what its schema asks for; it is secret, and so not shown');
}

/** Of a value of the wrong type nothing else is said. */
function together(checks: readonly Check[], isOfType: Check | undefined): Check {
  return (value, place, run) => {
    run.enter();
    let fits = isOfType === undefined || isOfType(value, place, run);
    if (fits) {
      for (const check of checks) {
        if (check(value, place, run)) continue;
        fits = false;
        if (run.isQuiet) break;
      }
    }
    run.leave();
    return fits;
  };
}
