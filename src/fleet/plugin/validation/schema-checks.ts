// Checks of arguments against the schemas of tools. Schemas come from plugins and may mean harm: they are screened, compiled apart from
// each other, load nothing from anywhere, and those that could take for ever are given a time limit.
import type { ErrorObject } from 'ajv';
import { toError } from '../../../base/error.ts';
import { type Json, type JsonObject, isJsonObject } from '../../../base/json.ts';
import { didYouMean, meantBy } from '../../../base/names.ts';
import { TimeLimit, isQuickPattern } from '../../../definition/schema/pattern.ts';
import type { JsonSchema, Tool } from '../../../definition/tool.ts';
import type { Compile, Validator } from './compilers.ts';
import type { CallFailure } from '../../../definition/outcome.ts';

const CHECK_MS = 200;

interface Prepared {
  readonly validate: Validator;
  /** True when the value fits; a text is why that could not be found out. */
  readonly run: (value: Json) => unknown;
  readonly hasDefaults: boolean;
}

/** One for a whole fleet: compilers are heavy. */
export class SchemaChecks {
  readonly #timeLimit = new TimeLimit();
  /** The gate and the plugin have the same schema. */
  readonly #prepared = new WeakMap<object, Prepared>();
  #compile: Compile | undefined;
  #loading: Promise<void> | undefined;
  readonly #compileMs: number;

  /** Far more than a real schema takes. */
  constructor({ compileMs = 2000 } = {}) {
    this.#compileMs = compileMs;
  }

  /** Undefined while the compilers are not loaded. Never throws: a tool whose schema cannot be used refuses every call. */
  checkOf(plugin: string, tool: Tool): ArgumentCheck | undefined {
    const schema = tool.inputSchema;
    if (needsNoCompiler(schema)) return takeObjects;
    if (this.#compile === undefined) return undefined;
    try {
      return this.#compiled(this.#compile, plugin, tool.name, schema);
    } catch (thrown) {
      const why = toError(thrown).message.slice(0, 300);
      const refusal = new Refusal({
        code: 'PROTOCOL_VIOLATION',
        message: `The tool "${tool.name}" of plugin "${plugin}" cannot be called, since its input schema cannot be used: ${why}`,
      });
      return () => refusal;
    }
  }

  /**
   * What is wrong with a value, such as a result; nothing where it fits. Undefined while the compilers are not loaded.
   * @throws Error when the schema cannot be used
   */
  problemsOf(schema: JsonSchema): ((value: Json) => readonly string[]) | undefined {
    if (schema === true) return () => [];
    if (this.#compile === undefined) return undefined;
    const { validate, run, hasDefaults } = this.#validatorOf(this.#compile, schema);
    return (value) => {
      const verdict = run(hasDefaults ? structuredClone(value) : value);
      if (verdict === true) return [];
      return typeof verdict === 'string' ? [verdict] : explain(validate.errors ?? [], schema, value);
    };
  }

  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    try {
      const { loadCompilers } = await import('./compilers.ts');
      this.#compile = await loadCompilers();
    } catch (error) {
      // Calls must not wait for ever: each tool with a schema refuses with the reason.
      this.#compile = () => {
        throw error;
      };
    }
  }

  #compiled(compile: Compile, plugin: string, tool: string, schema: JsonSchema): ArgumentCheck {
    const { validate, run, hasDefaults } = this.#validatorOf(compile, schema);
    return (args) => {
      const objects = takeObjects(args);
      if (objects instanceof Refusal) return objects;
      // Filling in defaults changes what is checked, and the arguments are the caller's.
      const checked = hasDefaults ? structuredClone(args) : args;
      const verdict = run(checked);
      if (verdict === true) return checked;
      return refusal(
        plugin,
        tool,
        typeof verdict === 'string' ? [verdict] : explain(validate.errors ?? [], schema, args),
      );
    };
  }

  #validatorOf(compile: Compile, schema: JsonSchema): Prepared {
    const known = typeof schema === 'object' ? this.#prepared.get(schema) : undefined;
    if (known !== undefined) return known;
    const { isSlow, hasDefaults } = screen(schema);
    // Many properties alone are enough to keep the compiler busy.
    const validate = this.#timeLimit.run(this.#compileMs, () => compile(schema));
    const prepared = { validate, run: isSlow ? this.#timed(validate) : validate, hasDefaults };
    if (typeof schema === 'object') this.#prepared.set(schema, prepared);
    return prepared;
  }

  #timed(validate: Validator): Prepared['run'] {
    return (value) => {
      try {
        return this.#timeLimit.run(CHECK_MS, () => validate(value));
      } catch (thrown) {
        return `they could not be checked: ${toError(thrown).message.slice(0, 200)}`;
      }
    };
  }
}

function needsNoCompiler(schema: JsonSchema | undefined): schema is undefined | true {
  if (schema === undefined || schema === true) return true;
  return schema !== false && Object.keys(schema).every((key) => key === 'type' && schema[key] === 'object');
}

function refusal(plugin: string, tool: string, problems: readonly string[]): Refusal {
  return new Refusal({
    code: 'INVALID_ARGUMENTS',
    message: `The arguments do not fit the tool "${tool}" of plugin "${plugin}": ${problems.join('; ')}`,
    data: { problems: [...problems] },
  });
}

interface Screening {
  /** A check may take any time. */
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

const PROBLEMS_MAX = 5;
/** A long list in which all is wrong has an error for each item, and more. */
const ERRORS_MAX = 100;
const VALUES_MAX = 50;

function explain(errors: readonly ErrorObject[], schema: JsonSchema, args: unknown): string[] {
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

/** Gives the arguments with defaults, or the reason of the refusal. */
export type ArgumentCheck = (args: JsonObject) => JsonObject | Refusal;

export class Refusal {
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    this.failure = failure;
  }
}

export function takeObjects(args: JsonObject): JsonObject | Refusal {
  if (isJsonObject(args)) return args;
  return new Refusal({
    code: 'INVALID_ARGUMENTS',
    message: `The arguments of a tool are an object; got ${Array.isArray(args) ? 'an array' : String(args).slice(0, 50)}.`,
  });
}
