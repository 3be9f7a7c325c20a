// Exposes plugins and takes them back: sets up, takes down, and sees that one that fails harms no other.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Secrets } from '../../base/secrets.ts';
import { sentence } from '../../base/sentence.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { shownError } from '../supervisor/shown-error.ts';
import type { Catalogue } from './catalogue.ts';
import type { RegistryChange } from './contract.ts';
import type { ExposedPlugins } from './exposed-plugins.ts';
import type { KnownPlugin } from './known-plugin.ts';
import type { LivePlugin, PluginSource } from './live-plugin.ts';

export interface ExposingPorts {
  readonly catalogue: Catalogue;
  readonly exposed: ExposedPlugins;
  readonly secrets: Secrets;
  /** What nobody may see of what a plugin is told. */
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

  /** @throws PluglotError why it could not be set up */
  expose(known: KnownPlugin, given: JsonObject | undefined): Promise<void> {
    return known.inTurn(async () => {
      if (this.#isClosed)
        throw new PluglotError(
          'PLUGIN_STOPPED',
          `The registry is closed: it exposes no plugin "${known.name}".`,
        );
      known.stopped = undefined;
      const { source } = known;
      const config = { ...source.config, ...configOf(known.name, given) };
      if (known.exposure !== undefined) {
        if (given === undefined || isDeepStrictEqual(config, known.exposure.config)) return;
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
      changed({ kind: 'profile-changed', plugin: name });
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

/** A copy, so that nobody changes what it was set up with. */
function configOf(plugin: string, given: JsonObject | undefined): JsonObject {
  if (given === undefined) return {};
  const plain = plainJson(given, 'it');
  const problem = 'problem' in plain ? plain.problem : 'it is no object';
  if ('json' in plain && isJsonObject(plain.json)) return plain.json;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `The configuration for plugin "${plugin}" is no plain data: ${sentence(problem)}`,
  );
}

function errorOf(plugin: string, thrown: unknown): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  const message = `Plugin "${plugin}" could not be exposed: ${toError(thrown).message}`;
  return new PluglotError('START_FAILED', message, { cause: thrown });
}
