// A plugin that the registry knows, exposed or not. What is done to one is done one after the other.
import type { PluglotError } from '../../base/error.ts';
import { oneByOne } from '../../base/one-by-one.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import type { RegisteredPlugin } from './contract.ts';
import type { LivePlugin, PluginSource } from './live-plugin.ts';

export interface Exposure {
  readonly live: LivePlugin;
  readonly config: JsonObject;
  readonly origin: PluginSource['origin'];
  readonly isForClients: boolean;
  endFollowing(): void;
}

export class KnownPlugin {
  readonly name: string;
  readonly order: number;
  /** How it is exposed the next time. */
  source: PluginSource;
  /** The file it was found by; undefined: it was registered. */
  foundIn: string | undefined;
  /** It is not there any more, and goes when it is not exposed any more. */
  isGone = false;
  exposure: Exposure | undefined;
  failure: PluglotError | undefined;
  /** Somebody has taken it down and wants it to stay so. */
  stopped: PluglotError | undefined;
  /** Its tools that are switched off, by its own names. */
  readonly disabled = new Set<string>();
  /** For others: what they see changes with it. */
  readonly view: RegisteredPlugin;
  #lastProfile: Profile | undefined;
  readonly #inTurn = oneByOne();
  #waiting = 0;

  constructor(name: string, order: number, source: PluginSource, foundIn?: string) {
    this.name = name;
    this.order = order;
    this.source = source;
    this.foundIn = foundIn;
    this.view = viewOf(this);
  }

  get profile(): Profile | undefined {
    return this.exposure?.live.profile ?? this.#lastProfile ?? this.source.profile;
  }

  /** Resolves or rejects as the work does, once all is done that was asked for before. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    return this.#inTurn(work).finally(() => (this.#waiting -= 1));
  }

  /** Something is being done to it, or about to be. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** What it has been exposed as, until now. */
  takeExposure(): Exposure | undefined {
    const { exposure } = this;
    this.#lastProfile = exposure?.live.profile ?? this.#lastProfile;
    this.exposure = undefined;
    exposure?.endFollowing();
    return exposure;
  }
}

function viewOf(known: KnownPlugin): RegisteredPlugin {
  return {
    name: known.name,
    get origin() {
      return known.exposure?.origin ?? known.source.origin;
    },
    get isExposed() {
      return known.exposure !== undefined;
    },
    get isForClients() {
      return known.exposure?.isForClients ?? known.source.clients !== false;
    },
    get profile() {
      return known.profile;
    },
    get failure() {
      return known.exposure?.live.failure ?? known.failure;
    },
    get stopped() {
      return known.stopped;
    },
    get process() {
      return known.exposure?.live.process;
    },
  };
}
