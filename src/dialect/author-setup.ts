// When what answers behind an author end is set up, and with what: by the host's hello, or before the first call where none came.
import { PluglotError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Backend } from '../definition/backend.ts';

export class AuthorSetup {
  readonly #backend: Pick<Backend, 'setup'>;
  #config: JsonObject;
  #done: Promise<unknown> | undefined;

  /** The configuration is that of the command line; a host that brings its own knows better. */
  constructor(backend: Pick<Backend, 'setup'>, config: JsonObject = {}) {
    this.#backend = backend;
    this.#config = config;
  }

  /**
   * Anew, also where it was set up before. A program that is missing is no failure of the hello: hosts learn from it what has to
   * be there, and calls are refused until it is.
   * @throws PluglotError INVALID_ARGUMENTS, START_FAILED
   */
  async hello(config = this.#config): Promise<void> {
    this.#config = config;
    this.#done = undefined;
    try {
      await this.ready();
    } catch (error) {
      if (!(error instanceof PluglotError && error.code === 'REQUIREMENT_MISSING')) throw error;
    }
  }

  /**
   * Before a call. What failed is tried again: who was told what is missing may have installed it.
   * @throws PluglotError INVALID_ARGUMENTS, START_FAILED, REQUIREMENT_MISSING
   */
  async ready(): Promise<void> {
    const done = (this.#done ??= this.#backend.setup(this.#config));
    try {
      await done;
    } catch (error) {
      if (this.#done === done) this.#done = undefined;
      throw error;
    }
  }
}
