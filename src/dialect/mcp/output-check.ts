// Whether structured content is what the tool promised. The schema is the server's, so the check itself may be an attack: it gets a time limit.
import vm from 'node:vm';
import { toError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostServices } from '../host-dialect.ts';
import { draftOf, schemaEngine } from '../schema-engine.ts';

/** What is wrong with the value; undefined when nothing is, or when it cannot be told. */
type Check = (value: Json) => string | undefined;

/** Far more than a real schema takes. */
const COMPILE_MS = 2000;
/** A check that takes longer is given up, and not made again for that tool. */
const CHECK_MS = 500;

const OPTIONS = { strict: false, validateSchema: false, allErrors: true, logger: false } as const;

export class OutputCheck {
  readonly #services: HostServices;
  readonly #checks = new Map<string, Check>();
  #bounded: Bounded | undefined;

  constructor(services: HostServices) {
    this.#services = services;
  }

  /** Other tools now. */
  reset(): void {
    this.#checks.clear();
  }

  problemOf(tool: Tool, value: Json): string | undefined {
    try {
      return this.#checkOf(tool)(value);
    } catch (thrown) {
      this.#checks.set(tool.name, unchecked);
      const where = `the output schema of "${tool.name}", which is not checked from now on`;
      this.#services.trouble({ kind: 'thrown', where, error: toError(thrown) });
      return undefined;
    }
  }

  #checkOf({ name, outputSchema }: Tool): Check {
    let check = this.#checks.get(name);
    if (check === undefined) {
      check = typeof outputSchema === 'object' ? this.#compile(outputSchema) : unchecked;
      this.#checks.set(name, check);
    }
    return check;
  }

  #compile(schema: JsonObject): Check {
    const inTime = (this.#bounded ??= bounded());
    // 2020-12 is what MCP says of a schema that names no draft.
    const draft = draftOf(schema, '2020-12');
    if (draft === undefined) throw new Error('Its "$schema" names a dialect that is not known.');
    const engine = schemaEngine(draft, OPTIONS);
    const validate = inTime(COMPILE_MS, () => engine.compile(schema));
    const check: Check = (value) => (validate(value) ? undefined : engine.errorsText(validate.errors));
    // The limit costs more than most checks.
    return isQuick(schema) ? check : (value) => inTime(CHECK_MS, () => check(value));
  }
}

const QUICK_LENGTH = 16 * 1024;
const SLOW =
  /"(?:pattern|patternProperties|propertyNames|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/;

/** Whether a check takes no longer than schema and value are long: nothing repeats, refers or compares each with each. */
function isQuick(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.length < QUICK_LENGTH && !SLOW.test(text);
}

const unchecked: Check = () => undefined;

type Bounded = <T>(limitMs: number, run: () => T) => T;

/** Only V8 itself can interrupt a regular expression that has lost its way; it does so for scripts with a time limit. */
function bounded(): Bounded {
  const surroundings: { run: () => void } = { run: () => {} };
  const context = vm.createContext(surroundings);
  const script = new vm.Script('run()');
  return <T>(limitMs: number, run: () => T): T => {
    let result: { value: T } | undefined;
    surroundings.run = () => {
      result = { value: run() };
    };
    script.runInContext(context, { timeout: limitMs });
    if (result === undefined) throw new Error('It was interrupted.');
    return result.value;
  };
}
