// Whether the plugin was set up. What is asked while it is being set up waits for that: hosts may send all they have at once.
import { toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Backend } from '../../definition/backend.ts';
import { failureOf } from '../../definition/failure.ts';
import { readInitParams } from './asked.ts';
import { NOT_INITIALIZED } from './codes.ts';
import { methods } from './schema.ts';
import { wireFailure } from './wire-failure.ts';

type State = 'never' | 'ready' | { readonly failed: string };

export class Initialization {
  readonly #backend: Pick<Backend, 'setup'>;
  readonly #usual: JsonObject;
  /** After all setups that were asked for. */
  #state: Promise<State> = Promise.resolve('never');
  #isReady = false;

  /** The usual config holds where the host says nothing else. */
  constructor(backend: Pick<Backend, 'setup'>, usual: JsonObject = {}) {
    this.#backend = backend;
    this.#usual = usual;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * A plugin that cannot be set up answers with an error: the real host takes any result for a success, also one with `status: "error"`.
   * @throws RpcError
   */
  async init(params: unknown): Promise<JsonObject> {
    const config = { ...this.#usual, ...readInitParams(params) };
    const setup = this.#state.then(() => this.#backend.setup(config));
    this.#state = setup.then(
      () => this.#now('ready'),
      (thrown: unknown) => this.#now({ failed: toError(thrown).message }),
    );
    try {
      const { configApplied } = await setup;
      return {
        status: 'initialized',
        ...(configApplied === undefined ? {} : { config_applied: configApplied }),
      };
    } catch (thrown) {
      throw wireFailure(failureOf(thrown), { method: methods.init });
    }
  }

  /** Whether it is set up, once all is done that was asked for until now. */
  async settled(): Promise<boolean> {
    return (await this.#state) === 'ready';
  }

  /** @throws RpcError -32003 */
  async required(): Promise<void> {
    const state = await this.#state;
    if (state === 'ready') return;
    throw new RpcError(NOT_INITIALIZED, `Plugin not initialized. Call ${methods.init} first.`, {
      reason: 'NotInitialized',
      required_method: methods.init,
      ...(state === 'never' ? {} : { details: state.failed }),
    });
  }

  #now(state: State): State {
    this.#isReady = state === 'ready';
    return state;
  }
}
