// Validates the arguments of a call against the schema of its tool, or the parameters of its command.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { sentence } from '../base/text.ts';
import { didYouMean } from '../base/names.ts';
import type { Tool } from '../definition/tool.ts';
import { plainJson } from '../definition/run/plain-json.ts';
import type { ResolvedCommand, ResolvedTool } from '../fleet/registry/contract.ts';
import { Refusal, type ArgumentCheck, type SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import { Denial } from './denial.ts';
import { isContent, type Target } from './target.ts';

export class CallArguments {
  readonly #checks: SchemaChecks;
  /** Compiled at the first call; a tool that is declared again is another object. */
  readonly #byTool = new WeakMap<Tool, ArgumentCheck>();

  constructor(checks: SchemaChecks) {
    this.#checks = checks;
  }

  /** @returns a copy with defaults filled in, which the caller cannot change any more */
  check(target: Target, given: JsonObject): JsonObject | Denial | Promise<JsonObject | Denial> {
    const args = copyOf(given);
    if (args instanceof Denial) return args;
    if (isContent(target)) return args;
    return target.kind === 'command' ? checkCommand(target, args) : this.#checkTool(target, args);
  }

  #checkTool(target: ResolvedTool, args: JsonObject): JsonObject | Denial | Promise<JsonObject | Denial> {
    const check = this.#checkOf(target);
    if (check !== undefined) return checkedBy(check, args);
    return this.#checks.load().then(() => {
      const loaded = this.#checkOf(target);
      if (loaded === undefined) throw new Error('the schema validator could not be loaded');
      return checkedBy(loaded, args);
    });
  }

  #checkOf({ plugin, tool }: ResolvedTool): ArgumentCheck | undefined {
    const known = this.#byTool.get(tool);
    if (known !== undefined) return known;
    const check = this.#checks.checkOf(plugin, tool);
    if (check !== undefined) this.#byTool.set(tool, check);
    return check;
  }
}

function copyOf(given: JsonObject): JsonObject | Denial {
  const plain = plainJson(given, 'args');
  if ('problem' in plain)
    return invalid(`The arguments cannot be written as JSON: ${sentence(plain.problem)}`);
  // Libraries on the way to a plugin would take it for the prototype.
  if (isJsonObject(plain.json))
    return Object.hasOwn(plain.json, '__proto__') ? invalid(NO_SUCH_NAME) : plain.json;
  return invalid(`The arguments must be an object; got ${Array.isArray(given) ? 'an array' : typeof given}.`);
}

const NO_SUCH_NAME = 'No argument can have the name "__proto__".';

function checkedBy(check: ArgumentCheck, args: JsonObject): JsonObject | Denial {
  const checked = check(args);
  return checked instanceof Refusal ? new Denial('arguments', checked.failure) : checked;
}

function checkCommand({ command, plugin }: ResolvedCommand, args: JsonObject): JsonObject | Denial {
  const what = `Command "${command.name}" of plugin "${plugin}"`;
  const names = command.parameters.map(({ name }) => name);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length === 0 ? ' It takes none.' : ` It takes ${names.join(', ')}.`;
    const hint = didYouMean(unknown, names) || known;
    return invalid(`${what} has no parameter "${unknown.slice(0, 100)}".${hint}`);
  }
  const missing = command.parameters.find(
    ({ name, required }) => required === true && !Object.hasOwn(args, name),
  );
  if (missing !== undefined) return invalid(`${what} needs the parameter "${missing.name}".`);
  return args;
}

function invalid(message: string): Denial {
  return new Denial('arguments', { code: 'INVALID_ARGUMENTS', message });
}
