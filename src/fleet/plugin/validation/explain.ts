// What is wrong with arguments, in words that a person or a model can act on.
import type { ErrorObject } from 'ajv';
import { didYouMean, meantBy } from '../../../base/suggest.ts';
import type { JsonSchema } from '../../../definition/tool.ts';

const PROBLEMS_MAX = 5;
/** A long list in which all is wrong has an error for each item, and more. */
const ERRORS_MAX = 100;
const VALUES_MAX = 50;

export function explain(errors: readonly ErrorObject[], schema: JsonSchema, args: unknown): string[] {
  const problems = new Set(errors.slice(0, ERRORS_MAX).map((error) => problemOf(error, schema, args)));
  const shown = [...problems].slice(0, PROBLEMS_MAX);
  if (errors.length > ERRORS_MAX) return [...shown, 'and many more'];
  const more = problems.size - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

function problemOf(error: ErrorObject, schema: JsonSchema, args: unknown): string {
  const at = pathOf(error.instancePath);
  // What stands in `params` depends on the keyword; ajv types it loosely.
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return `${join(at, String(params['missingProperty']))}: is required${at === '' ? givenInstead(String(params['missingProperty']), args, schema) : ''}`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']).slice(0, 100);
      return `${join(at, name)}: is not known.${at === '' ? didYouMean(name, propertiesOf(schema)) : ''}`;
    }
    case 'enum': {
      const values = (params['allowedValues'] as readonly unknown[]).slice(0, VALUES_MAX);
      const allowed = values.map((value) => JSON.stringify(value));
      return `${at || 'they'}: must be one of ${allowed.join(', ').slice(0, 300)}`;
    }
    case 'const':
      return `${at || 'they'}: must be ${JSON.stringify(params['allowedValue']).slice(0, 300)}`;
    default:
      return `${at || 'they'}: ${(error.message ?? `do not fit "${error.keyword}"`).slice(0, 300)}`;
  }
}

function givenInstead(missing: string, args: unknown, schema: JsonSchema): string {
  const given = typeof args === 'object' && args !== null ? Object.keys(args) : [];
  return meantBy(missing, given, propertiesOf(schema));
}

/** From a JSON pointer. */
function pathOf(instancePath: string): string {
  return instancePath
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
    .slice(0, 200);
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function propertiesOf(schema: JsonSchema): string[] {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
