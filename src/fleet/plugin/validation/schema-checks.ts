// Checks of arguments against the schemas of tools. Schemas come from plugins and may mean harm: they are screened, compiled apart from
// each other, load nothing from anywhere, and those that could take for ever are given a time limit.
import { toError } from '../../../base/error.ts';
import type { Json } from '../../../base/json.ts';
import type { JsonSchema, Tool } from '../../../definition/tool.ts';
import type { Compile, Validator } from './compilers.ts';
import { explain } from './explain.ts';
import { takeObjects } from './objects.ts';
import { Refusal, type ArgumentCheck } from './refusal.ts';
import { screen } from './screening.ts';
import { TimeLimit } from '../../../definition/schema/time-limit.ts';

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
  /** The gate and the plugin both hold a call against the same schema. */
  readonly #prepared = new WeakMap<object, Prepared>();
  #compile: Compile | undefined;
  #loading: Promise<void> | undefined;
  readonly #compileMs: number;

  /** Far more than a real schema takes. */
  constructor({ compileMs = 2000 } = {}) {
    this.#compileMs = compileMs;
  }

  /** Undefined while the compilers are not loaded. Never throws: a tool whose schema is of no use refuses every call. */
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
        message: `The tool "${tool.name}" of plugin "${plugin}" cannot be called, since its input schema is of no use: ${why}`,
      });
      return () => refusal;
    }
  }

  /**
   * What is wrong with a value, such as a result; nothing where it fits. Undefined while the compilers are not loaded.
   * @throws Error when the schema is of no use
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
      // Whoever waits must not wait for ever: each tool with a schema tells the reason then.
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
