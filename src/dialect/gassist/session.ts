// The calls that a host makes, `execute` and `input`: each is put to the backend, and what it says and how it ends is told by notifications.
import type { JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Around, Backend, RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorSetup } from '../author-setup.ts';
import type { Offer } from '../facet-tools.ts';
import { refusedCall } from '../refused-call.ts';
import { HostedCall } from './hosted-call.ts';
import type { Outbox } from './outbox.ts';
import { logged } from './outgoing.ts';
import { parseExecute, parseInput } from './questions.ts';

/** Before the engine ends the plugin, which it does after 30 s. */
const around: Around = { dialect: 'gassist', timeoutMs: 29_000 };

/** What the calls are put to. */
export interface Behind {
  readonly offer: Offer;
  readonly backend: Pick<Backend, 'talk'>;
  readonly setup: AuthorSetup;
}

export class Session {
  readonly #behind: Behind;
  readonly #outbox: Outbox;
  readonly #underWay = new Set<HostedCall>();
  /** What the user says next is for this plugin: so said the call that ended last. */
  #isKept = false;

  constructor(behind: Behind, outbox: Outbox) {
    this.#behind = behind;
    this.#outbox = outbox;
  }

  /** Resolves when the end of the call is on its way. */
  execute(params: JsonObject, context: CallContext): Promise<void> {
    // Official plugins never answer by a response, and the emulator loses the text of those that do.
    context.waiveResponse();
    const { offer, setup } = this.#behind;
    const request = parseExecute(params);
    if ('problem' in request) {
      const failure = { code: 'INVALID_ARGUMENTS', message: request.problem } as const;
      return this.#run(context, (sink) => refusedCall(failure, sink));
    }
    // The engine may not have said hello. What is wrong with the setup is told by the call, which waits for it.
    setup.ready().catch(() => {});
    return this.#run(context, (sink) => offer.call({ ...request, ...around }, sink));
  }

  /** @throws RpcError when nobody would hear it */
  input(params: JsonObject, context: CallContext): Promise<void> {
    const { talk } = this.#behind.backend;
    const { name } = this.#behind.offer.profile;
    const content = parseInput(params);
    if (content === undefined)
      throw new RpcError(
        standardErrors.invalidParams.code,
        'An input has what the user said as text, in "content".',
      );
    if (talk === undefined || !this.#isKept) {
      throw new RpcError(
        standardErrors.methodNotFound.code,
        talk === undefined
          ? `Plugin "${name}" does not take part in conversations.`
          : `Plugin "${name}" has no session open: input is for after a "complete" with keep_session true.`,
      );
    }
    // Before all else: an engine that does not get it within 2 s ends the plugin.
    context.respond({ acknowledged: true });
    return this.#run(context, (sink) => talk.input(content, around, sink));
  }

  log(entry: LogEntry): void {
    this.#outbox.offer(logged(entry));
  }

  async #run({ id }: CallContext, start: (sink: CallSink) => RunningCall): Promise<void> {
    this.#isKept = false;
    const call = new HostedCall(id, this.#outbox, () => this.#underWay.size === 1);
    this.#underWay.add(call);
    this.#isKept = await call.run(start);
    this.#underWay.delete(call);
    // A closing peer waits for this, so that nothing is cut off.
    await this.#outbox.drained();
  }
}
