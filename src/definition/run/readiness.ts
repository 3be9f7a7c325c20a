// Whether a plugin is set up, and with what. Calls wait for it; a host may configure anew at any time.
import { deferred } from '../../base/deferred.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { SetupResult } from '../backend.ts';
import type { AnyConfig, Definition } from '../definition.ts';
import { Failure, failureOf } from '../failure.ts';
import { appliedConfig } from './applied-config.ts';
import { logEntry } from './handler-context.ts';
import type { Surroundings } from './surroundings.ts';
import type { ToldInstructions } from './told-instructions.ts';

export interface Ready {
  /** As the author sees it: checked, defaults included. */
  readonly config: AnyConfig;
  /** As the host gave it. */
  readonly given: JsonObject;
}

export class Readiness {
  readonly #definition: Definition;
  readonly #surroundings: Surroundings;
  readonly #life: AbortSignal;
  readonly #instructions: ToldInstructions;
  readonly #ended = deferred<never>();
  #ready: Promise<Ready> | undefined;
  /** What `#ready` came to, once somebody has waited for it. */
  #settled: Ready | undefined;
  /** One setup after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #wasBegun = false;
  #failure: string | undefined;

  constructor(
    definition: Definition,
    surroundings: Surroundings,
    life: AbortSignal,
    instructions: ToldInstructions,
  ) {
    this.#definition = definition;
    this.#surroundings = surroundings;
    this.#life = life;
    this.#instructions = instructions;
    life.addEventListener('abort', () => this.#ended.reject(stopped(definition.name)), { once: true });
  }

  /** Whether there is anything to take down. */
  get wasBegun(): boolean {
    return this.#wasBegun;
  }

  /** Why the last setup failed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** @throws PluglotError INVALID_ARGUMENTS, REQUIREMENT_MISSING, START_FAILED, PLUGIN_STOPPED, or what the author failed with */
  async setup(config: JsonObject): Promise<SetupResult> {
    const before = this.#ready;
    const turn = this.#last.then(() => this.#setUp(config));
    this.#last = turn.catch(() => {});
    this.#ready = turn;
    this.#settled = undefined;
    try {
      const { config: applied } = await turn;
      this.#failure = undefined;
      const schema = this.#definition.config?.jsonSchema;
      return schema === undefined ? {} : appliedConfig(applied, schema);
    } catch (error) {
      // Nothing was touched when the new configuration did not even fit: the old one holds.
      if (this.#ready === turn && isMisfit(error)) this.#ready = before;
      if (this.#ready === undefined || this.#ready === turn) this.#failure = toError(error).message;
      throw error;
    }
  }

  /** @throws PluglotError NOT_INITIALIZED when it lacks a configuration, PLUGIN_STOPPED, else why it could not be set up */
  async ready(): Promise<Ready> {
    if (this.#life.aborted) throw stopped(this.#definition.name);
    // A race with the end of the plugin leaves something behind until that end, so a call that need not wait does not join one.
    if (this.#settled !== undefined) return this.#settled;
    try {
      const turn = this.#ready ?? this.#setUpWithNothing();
      const settled = await Promise.race([turn, this.#ended.promise]);
      if (this.#ready === turn) this.#settled = settled;
      return settled;
    } catch (error) {
      if (!isMisfit(error)) throw error;
      throw new PluglotError('NOT_INITIALIZED', error.message, { cause: error });
    }
  }

  /** For hosts that never configure. Tried again by the next call: what is missing may be there by then. */
  #setUpWithNothing(): Promise<Ready> {
    const done = this.setup({});
    const turn = this.#ready ?? this.#ended.promise;
    done.catch(() => {
      if (this.#ready === turn) this.#ready = undefined;
    });
    return turn;
  }

  async #setUp(given: JsonObject): Promise<Ready> {
    const { name, requires } = this.#definition;
    if (this.#life.aborted) throw stopped(name);
    const missing = requires.filter((command) => !this.#surroundings.hasCommand(command));
    if (missing.length > 0) throw requirementMissing(name, missing);
    const config = await this.#checked(given);
    this.#wasBegun = true;
    // A setup that never ends must not keep those waiting who wait for the end.
    await Promise.race([this.#runSetup(config), this.#ended.promise]);
    return { config, given };
  }

  async #checked(given: JsonObject): Promise<AnyConfig> {
    const { name, config: schema } = this.#definition;
    if (schema === undefined) return given;
    const checked = await schema.check(given);
    if ('problems' in checked)
      throw new PluglotError(
        'INVALID_ARGUMENTS',
        `The configuration does not fit plugin "${name}": ${checked.problems.join('; ')}`,
      );
    // A schema of the author's for an object gives an object.
    return checked.value as AnyConfig;
  }

  async #runSetup(config: AnyConfig): Promise<void> {
    const { name, setup } = this.#definition;
    const surroundings = this.#surroundings;
    try {
      await setup?.({
        config,
        signal: this.#life,
        get dataFolder() {
          return surroundings.dataFolder();
        },
        log: (level, message, data) => surroundings.log(logEntry(level, message, data)),
        instructionsChanged: () => this.#instructions.ask(config),
      });
      this.#instructions.ask(config);
    } catch (thrown) {
      const { code, message } = failureOf(thrown);
      const why = `Plugin "${name}" could not be set up: ${message}`;
      throw new PluglotError(code === 'INTERNAL' ? 'START_FAILED' : code, why, { cause: thrown });
    }
  }
}

/** What is told to those who still want something. */
export function stopped(plugin: string): PluglotError {
  return new PluglotError('PLUGIN_STOPPED', `Plugin "${plugin}" ends.`);
}

function requirementMissing(plugin: string, missing: readonly string[]): PluglotError {
  const code = 'REQUIREMENT_MISSING';
  const names = missing.map((command) => `"${command}"`).join(', ');
  const message = `Plugin "${plugin}" needs ${names} in PATH, and it is not there. Install it, or correct PATH.`;
  const cause = new Failure({ code, message, data: { dependency: missing.join(', ') } });
  return new PluglotError(code, message, { cause });
}

/** The configuration alone is at fault, by our own check. */
function isMisfit(error: unknown): error is PluglotError {
  return error instanceof PluglotError && error.code === 'INVALID_ARGUMENTS' && error.cause === undefined;
}
