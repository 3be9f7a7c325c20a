// Whether a plugin is set up, and with what. Calls wait for it; a host may configure anew at any time.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { SetupResult } from '../backend.ts';
import type { Definition, HandlerContext } from '../definition.ts';
import { Failure, failureOf } from '../failure.ts';
import { logEntry } from './handler-context.ts';
import { plainJson } from './plain-json.ts';
import type { Surroundings } from './surroundings.ts';

export interface Ready {
  /** As the author sees it: checked, defaults included. */
  readonly config: HandlerContext['config'];
  /** As the host gave it. */
  readonly given: JsonObject;
}

export class Readiness {
  readonly #definition: Definition;
  readonly #surroundings: Surroundings;
  readonly #life: AbortSignal;
  #ready: Promise<Ready> | undefined;
  /** One setup after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #wasBegun = false;

  constructor(definition: Definition, surroundings: Surroundings, life: AbortSignal) {
    this.#definition = definition;
    this.#surroundings = surroundings;
    this.#life = life;
  }

  /** Whether there is anything to take down. */
  get wasBegun(): boolean {
    return this.#wasBegun;
  }

  /** @throws PluglotError INVALID_ARGUMENTS, REQUIREMENT_MISSING, START_FAILED, or what the author failed with */
  async setup(config: JsonObject): Promise<SetupResult> {
    const before = this.#ready;
    const turn = this.#last.then(() => this.#setUp(config));
    this.#last = turn.catch(() => {});
    this.#ready = turn;
    try {
      const { config: applied } = await turn;
      return this.#definition.config === undefined
        ? {}
        : applyable(applied, this.#definition.config.jsonSchema);
    } catch (error) {
      // Nothing was touched when the new configuration did not even fit: the old one holds.
      if (this.#ready === turn && isMisfit(error)) this.#ready = before;
      throw error;
    }
  }

  /** @throws PluglotError NOT_INITIALIZED when it could not be set up */
  async ready(): Promise<Ready> {
    if (this.#ready === undefined) {
      const turn = this.setup({});
      const begun = this.#ready;
      // A program that was missing may be there next time.
      turn.catch(() => {
        if (this.#ready === begun) this.#ready = undefined;
      });
    }
    try {
      return await this.#ready!;
    } catch (error) {
      const { code, message } = failureOf(error);
      throw new PluglotError(code === 'INVALID_ARGUMENTS' ? 'NOT_INITIALIZED' : code, message, {
        cause: error,
      });
    }
  }

  async #setUp(given: JsonObject): Promise<Ready> {
    const { name, requires, setup } = this.#definition;
    const missing = requires.filter((command) => !this.#surroundings.hasCommand(command));
    if (missing.length > 0) throw requirementMissing(name, missing);
    const config = await this.#checked(given);
    this.#wasBegun = true;
    const surroundings = this.#surroundings;
    try {
      await setup?.({
        config,
        signal: this.#life,
        get dataFolder() {
          return surroundings.dataFolder();
        },
        log: (level, message, data) => surroundings.log(logEntry(level, message, data)),
      });
    } catch (thrown) {
      const { code, message } = failureOf(thrown);
      throw new PluglotError(
        code === 'INTERNAL' ? 'START_FAILED' : code,
        `Plugin "${name}" could not be set up: ${message}`,
        { cause: thrown },
      );
    }
    return { config, given };
  }

  async #checked(given: JsonObject): Promise<Ready['config']> {
    const { name, config: schema } = this.#definition;
    if (schema === undefined) return given;
    const checked = await schema.check(given);
    if ('problems' in checked)
      throw new PluglotError(
        'INVALID_ARGUMENTS',
        `The configuration does not fit plugin "${name}": ${checked.problems.join('; ')}`,
      );
    // A schema of the author's for an object gives an object.
    return checked.value as Ready['config'];
  }
}

function requirementMissing(plugin: string, missing: readonly string[]): PluglotError {
  const code = 'REQUIREMENT_MISSING';
  const names = missing.map((command) => `"${command}"`).join(', ');
  const message = `Plugin "${plugin}" needs ${names} in PATH, and it is not there. Install it, or correct PATH.`;
  const cause = new Failure({ code, message, data: { dependency: missing.join(', ') } });
  return new PluglotError(code, message, { cause });
}

function isMisfit(error: unknown): boolean {
  return error instanceof PluglotError && error.code === 'INVALID_ARGUMENTS' && error.cause === undefined;
}

/** What may be told: what the schema marks as secret is left out. */
function applyable(config: Ready['config'], schema: JsonObject): SetupResult {
  const plain = plainJson(config, 'config');
  if (!('json' in plain) || !isJsonObject(plain.json)) return {};
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const isSecret = (name: string) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonObject(property) && (property['writeOnly'] === true || property['format'] === 'password');
  };
  return {
    configApplied: Object.fromEntries(Object.entries(plain.json).filter(([name]) => !isSecret(name))),
  };
}
