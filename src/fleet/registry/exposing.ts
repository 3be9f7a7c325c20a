// Exposes plugins and takes them back: sets up, takes down, and sees that one that fails harms no other.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { sentence } from '../../base/text.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { shownError } from '../supervisor/launcher.ts';
import type { Catalogue, KnownPlugin } from './catalogue.ts';
import type { ExposeOptions, RegistryChange } from './contract.ts';
import type { ExposedPlugins } from './exposed-plugins.ts';
import type { LivePlugin, PluginSource } from './live-plugin.ts';

export interface ExposingPorts {
  readonly catalogue: Catalogue;
  readonly exposed: ExposedPlugins;
  readonly secrets: Secrets;
  /** The secrets in a configuration. */
  readonly secretsOf: (config: JsonObject) => readonly string[];
  readonly trustsAutoApprove: (plugin: string) => boolean;
  readonly log: (plugin: string, entry: LogEntry) => void;
  readonly changed: (change: RegistryChange) => void;
}

export class Exposing {
  readonly #ports: ExposingPorts;
  #isClosed = false;
  /** What is being set up, each with what gives it up. */
  readonly #starting = new Set<AbortController>();

  constructor(ports: ExposingPorts) {
    this.#ports = ports;
  }

  /**
   * `unlessStopped`: a plugin that the user has stopped stays so.
   * @throws PluglotError why it could not be set up
   */
  expose(
    known: KnownPlugin,
    given: JsonObject | undefined,
    { unlessStopped = false }: ExposeOptions = {},
  ): Promise<void> {
    return known.inTurn(async () => {
      if (unlessStopped && known.stopped !== undefined) return;
      if (this.#isClosed)
        throw new PluglotError(
          'PLUGIN_STOPPED',
          `The registry is closed: it exposes no plugin "${known.name}".`,
        );
      known.stopped = undefined;
      const { source } = known;
      const config = { ...source.config, ...configOf(known.name, given) };
      if (known.exposure !== undefined) {
        const isSame = given === undefined || isDeepStrictEqual(config, known.exposure.config);
        if (isSame && known.exposure.live.isOver !== true) return;
        await this.#takeDown(known);
      }
      const { catalogue, secrets, secretsOf } = this.#ports;
      secrets.learn(secretsOf(config));
      const life = new AbortController();
      this.#starting.add(life);
      try {
        const live = await source.start(config, life.signal);
        this.#admit(known, live, config, source);
      } catch (thrown) {
        const error = shownError(errorOf(known.name, thrown), secrets);
        known.failure = error;
        catalogue.report(known, error.message);
        throw error;
      } finally {
        this.#starting.delete(life);
      }
      known.failure = undefined;
      catalogue.report(known, undefined);
      this.#ports.changed({ kind: 'exposed', plugin: known.name });
    });
  }

  async unexpose(known: KnownPlugin, why?: PluglotError): Promise<void> {
    await known.inTurn(() => {
      known.stopped = why;
      return this.#takeDown(known);
    });
    this.#ports.catalogue.forgetIfGone(known);
  }

  wake(known: KnownPlugin): Promise<void> {
    return known.inTurn(async () => {
      known.stopped = undefined;
    });
  }

  /** What is being set up is given up, and nothing is exposed from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const life of this.#starting) life.abort();
    await Promise.all([...this.#ports.catalogue.all].map((known) => this.unexpose(known)));
  }

  #admit(known: KnownPlugin, live: LivePlugin, config: JsonObject, { origin, clients }: PluginSource): void {
    const { exposed, trustsAutoApprove, changed } = this.#ports;
    const { name, order, disabled } = known;
    const isTrustedToApprove = origin !== 'process' || trustsAutoApprove(name);
    const isForClients = clients !== false;
    exposed.put({ name, order, origin, live, disabled, isTrustedToApprove, isForClients });
    const endFollowing = live.onChanged(() => {
      exposed.refresh(name);
      changed({ kind: 'manifest-changed', plugin: name });
    });
    known.exposure = { live, config, origin, isForClients, endFollowing };
  }

  async #takeDown(known: KnownPlugin): Promise<void> {
    const exposure = known.takeExposure();
    if (exposure === undefined) return;
    this.#ports.exposed.drop(known.name);
    known.failure = undefined;
    this.#ports.changed({ kind: 'unexposed', plugin: known.name });
    try {
      await exposure.live.stop();
    } catch (thrown) {
      const message = `Plugin "${known.name}" could not be taken down: ${toError(thrown).message}`;
      this.#ports.log(known.name, { level: 'error', message });
    }
  }
}

/** A copy, so that the caller cannot change it later. */
function configOf(plugin: string, given: JsonObject | undefined): JsonObject {
  if (given === undefined) return {};
  const plain = plainJson(given, 'it');
  const problem = 'problem' in plain ? plain.problem : 'it is not an object';
  if ('json' in plain && isJsonObject(plain.json)) return plain.json;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `The configuration for plugin "${plugin}" is not plain data: ${sentence(problem)}`,
  );
}

function errorOf(plugin: string, thrown: unknown): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  const message = `Plugin "${plugin}" could not be exposed: ${toError(thrown).message}`;
  return new PluglotError('START_FAILED', message, { cause: thrown });
}
