// The tools of a plugin by name, each with the check of its arguments, which is made when the tool is first called.
import { didYouMean } from '../../base/names.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import { sendTool, type OpenCall } from './open-call.ts';
import { takeObjects, Refusal, type ArgumentCheck, type SchemaChecks } from './validation/schema-checks.ts';

interface PreparedTool {
  readonly tool: Tool;
  check: ArgumentCheck | undefined;
}

export class PreparedTools {
  readonly #plugin: string;
  readonly #checks: SchemaChecks;
  #byName = new Map<string, PreparedTool>();
  /** A tool that is not in the list may be there all the same. */
  #takesUnlisted = true;

  constructor(plugin: string, checks: SchemaChecks) {
    this.#plugin = plugin;
    this.#checks = checks;
  }

  /** Checks of tools whose schema is the same as before are kept. */
  replace(tools: readonly Tool[], takesUnlisted: boolean): void {
    const before = this.#byName;
    this.#takesUnlisted = takesUnlisted || tools.length === 0;
    this.#byName = new Map(
      tools.map((tool) => {
        const old = before.get(tool.name);
        return [
          tool.name,
          old !== undefined && hasSameSchema(old.tool, tool)
            ? withTool(old, tool)
            : { tool, check: undefined },
        ];
      }),
    );
  }

  find(name: string): Tool | undefined {
    const tool = this.#byName.get(name)?.tool;
    return tool ?? (this.#takesUnlisted ? { name } : undefined);
  }

  /** Undefined while what it needs has to be loaded. */
  checkOf(call: OpenCall): ArgumentCheck | undefined {
    if (call.send !== sendTool) return takeAnything;
    const prepared = this.#byName.get(call.tool);
    const { validatedAgainst } = call;
    if (validatedAgainst !== undefined && validatedAgainst === prepared?.tool.inputSchema)
      return takeAnything;
    return prepared?.check ?? this.#prepare(call.tool);
  }

  /** Loads what checks are made with. */
  load(): Promise<void> {
    return this.#checks.load();
  }

  #prepare(name: string): ArgumentCheck | undefined {
    const prepared = this.#byName.get(name);
    if (prepared === undefined) return this.#takesUnlisted ? takeObjects : () => this.#unknown(name);
    prepared.check = this.#checks.checkOf(this.#plugin, prepared.tool);
    return prepared.check;
  }

  #unknown(name: string): Refusal {
    const near = didYouMean(name, this.#byName.keys());
    return new Refusal({
      code: 'UNKNOWN_TOOL',
      message: `Plugin "${this.#plugin}" has no tool "${name.slice(0, 100)}".${near}`,
    });
  }
}

function takeAnything(args: JsonObject): JsonObject {
  return args;
}

/** The schema stays the same object, by which validated arguments are recognised. */
function withTool({ tool: { inputSchema }, check }: PreparedTool, tool: Tool): PreparedTool {
  return { tool: inputSchema === undefined ? tool : { ...tool, inputSchema }, check };
}

function hasSameSchema(one: Tool, other: Tool): boolean {
  try {
    return JSON.stringify(one.inputSchema) === JSON.stringify(other.inputSchema);
  } catch {
    // It is nested too deep to be written.
    return false;
  }
}
