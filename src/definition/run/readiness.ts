// Whether a plugin is set up, and with what. Calls wait for it; a host may configure it again at any time.
import { deferred } from '../../base/async.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { type JsonObject, isJsonObject } from '../../base/json.ts';
import type { SetupResult } from '../plugin-port.ts';
import type { AnyConfig, Definition } from '../definition.ts';
import { Failure, failureOf } from '../failure.ts';
import { isSecret } from '../schema/validator.ts';
import { logEntry } from './handler-context.ts';
import { plainJson } from './plain-json.ts';
import type { PluginHost } from './plugin-host.ts';
import type { CurrentInstructions } from './manifest.ts';

export interface Ready {
  /** As the author sees it: checked, defaults included. */
  readonly config: AnyConfig;
  /** As the host gave it. */
  readonly given: JsonObject;
}

export class Readiness {
  readonly #definition: Definition;
  readonly #host: PluginHost;
  readonly #life: AbortSignal;
  readonly #instructions: CurrentInstructions;
  readonly #ended = deferred<never>();
  #ready: Promise<Ready> | undefined;
  /** The result of `#ready`, once it was awaited. */
  #settled: Ready | undefined;
  /** One setup after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #wasBegun = false;
  #failure: string | undefined;

  constructor(
    definition: Definition,
    host: PluginHost,
    life: AbortSignal,
    instructions: CurrentInstructions,
  ) {
    this.#definition = definition;
    this.#host = host;
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
    const missing = requires.filter((command) => !this.#host.hasCommand(command));
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
    const host = this.#host;
    try {
      await setup?.({
        config,
        signal: this.#life,
        get dataFolder() {
          return host.dataFolder();
        },
        log: (level, message, data) => host.log(logEntry(level, message, data)),
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

/** The failure of calls that still wait. */
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

/** Left out is what the schema marks as secret, wherever it stands in objects. */
function appliedConfig(config: AnyConfig, schema: JsonObject): SetupResult {
  const plain = plainJson(config, 'config');
  if (!('json' in plain) || !isJsonObject(plain.json)) return {};
  return { configApplied: withoutSecrets(plain.json, schema) };
}

function withoutSecrets(value: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isSecret(property)) return [];
    if (!isJsonObject(property)) return [[name, inner] as const];
    return [[name, isJsonObject(inner) ? withoutSecrets(inner, property) : inner] as const];
  });
  return Object.fromEntries(kept);
}
