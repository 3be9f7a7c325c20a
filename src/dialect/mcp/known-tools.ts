// The tools of a server as it listed them last, and when they are asked for again.
import vm from 'node:vm';
import { toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence, shortened } from '../../base/text.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostServices } from '../host-dialect.ts';
import { draftOf, schemaEngine } from '../schema-engine.ts';
import {
  headerParameters,
  parameterHeaders,
  type HeaderParameter,
  type HeaderSource,
} from './http-headers.ts';
import { listTools, type Ask, type Trouble } from './facets.ts';
import { methods, type ToolResult } from './schema.ts';

/** How long after a change the tools are asked for: a server that changes many sends a notification for each. */
const RELIST_AFTER_MS = 100;

export class KnownTools {
  readonly #pluginName: string;
  readonly #services: HostServices;
  readonly #outputs: OutputCheck;
  #tools: ReadonlyMap<string, Tool> = new Map();
  /** By tool, for servers that want some arguments as headers. */
  #headers = new Map<string, readonly HeaderParameter[]>();
  /** Asks for them anew; undefined until the handshake is done. */
  #relistTools: (() => Promise<readonly Tool[]>) | undefined;
  #isClosed = false;
  /** Whether they are asked for anew, and whether they have changed since. */
  #relisting: 'no' | 'soon' | 'now' | 'now and again' = 'now';

  constructor(pluginName: string, services: HostServices) {
    this.#pluginName = pluginName;
    this.#services = services;
    this.#outputs = new OutputCheck(services);
  }

  /** The headers of a call of 2026-07-28 over HTTP. */
  readonly headersOf: HeaderSource = (method, params) => {
    if (method !== methods.callTool || !isJsonObject(params)) return {};
    const { name } = params;
    const parameters = (typeof name === 'string' && this.#headers.get(name)) || [];
    return parameterHeaders(parameters, params['arguments']);
  };

  /** @param wantsHeaders leaves out tools whose headers cannot be sent, as the revision wants it */
  async learn(ask: Ask, wantsHeaders: boolean): Promise<readonly Tool[]> {
    const trouble: Trouble = (trouble) => this.#services.trouble(trouble);
    const headers = new Map<string, readonly HeaderParameter[]>();
    const tools = await listTools(this.#pluginName, ask, trouble, (tool) => {
      const parameters = wantsHeaders ? headerParameters(tool.inputSchema) : [];
      if (typeof parameters === 'string') return parameters;
      headers.set(tool.name, parameters);
      return undefined;
    });
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#headers = headers;
    this.#outputs.reset();
    return tools;
  }

  /** From now on a change of the tools is followed by a request for them. */
  follow(relist: () => Promise<readonly Tool[]>): void {
    this.#relistTools = relist;
    this.#relistingDone();
  }

  close(): void {
    this.#isClosed = true;
  }

  changed(): void {
    if (this.#relisting === 'now' || this.#relisting === 'now and again') {
      this.#relisting = 'now and again';
    } else if (this.#relisting === 'no') {
      this.#relisting = 'soon';
      this.#services.clock.after(RELIST_AFTER_MS, () => void this.#relist());
    }
  }

  /** What is wrong with what a tool answered, measured by its own output schema. */
  outputProblem(name: string, result: ToolResult): string | undefined {
    const tool = this.#tools.get(name);
    if (tool?.outputSchema === undefined) return undefined;
    if (!result.structured || result.data === undefined)
      return `Plugin "${this.#pluginName}" has an output schema for "${name}" and answered without structured content.`;
    const problem = this.#outputs.problemOf(tool, result.data);
    return (
      problem &&
      `Plugin "${this.#pluginName}" answered "${name}" with other than its output schema says: ${sentence(shortened(problem))}`
    );
  }

  async #relist(): Promise<void> {
    if (this.#relistTools === undefined || this.#isClosed) return;
    this.#relisting = 'now';
    try {
      this.#services.toolsChanged(await this.#relistTools());
    } catch (thrown) {
      const where = 'the request for tools that have changed';
      if (!this.#isClosed) this.#services.trouble({ kind: 'thrown', where, error: toError(thrown) });
    }
    this.#relistingDone();
  }

  #relistingDone(): void {
    const again = this.#relisting === 'now and again';
    this.#relisting = 'no';
    if (again) this.changed();
  }
}

/** What is wrong with the value; undefined when nothing is, or when it cannot be checked. */
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
  const sandbox: { run: () => void } = { run: () => {} };
  const context = vm.createContext(sandbox);
  const script = new vm.Script('run()');
  return <T>(limitMs: number, run: () => T): T => {
    let result: { value: T } | undefined;
    sandbox.run = () => {
      result = { value: run() };
    };
    script.runInContext(context, { timeout: limitMs });
    if (result === undefined) throw new Error('It was interrupted.');
    return result.value;
  };
}
