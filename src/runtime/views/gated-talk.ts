// A conversation through the gate: asked about like a call, then with the plugin itself. What is said in it is counted like calls.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { toError, PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { Call, CallOptions } from '../../fleet/plugin/call.ts';
import { HeldCall } from '../../fleet/plugin/held-call.ts';
import type { Talk, TalkEnding } from '../../fleet/plugin/talk.ts';
import { noTalk } from '../../fleet/registry/no-talk.ts';
import type { CallSource, ResolvedTool } from '../../fleet/registry/resolved.ts';
import type { Gate } from '../../gate/gate.ts';
import { callerKey } from '../../gate/limits/limit-options.ts';
import type { ApiCallOptions } from '../api.ts';
import type { CallStats } from './call-stats.ts';

export interface GatedTalkParts {
  readonly registry: Pick<CallSource, 'resolveTool' | 'whyNot'>;
  readonly gate: Pick<Gate, 'askPermission'>;
  /** @default nobody counts */
  readonly stats?: Pick<CallStats, 'asked'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export class GatedTalk implements Talk {
  readonly opening: HeldCall;
  readonly ended: Promise<TalkEnding>;
  readonly #ended = deferred<TalkEnding>();
  readonly #parts: GatedTalkParts;
  readonly #tool: string;
  #talk: Talk | undefined;
  #plugin = '';
  #isOver = false;

  constructor(parts: GatedTalkParts, tool: string, args: JsonObject, options: ApiCallOptions) {
    this.#parts = parts;
    this.#tool = tool;
    this.ended = this.#ended.promise;
    const { clock, newId } = parts;
    this.opening = new HeldCall({ id: newId(), tool, clock, onCancel: () => this.end() });
    const { signal } = options;
    const leave = () => this.end();
    signal?.addEventListener('abort', leave, { once: true });
    void this.ended.then(() => signal?.removeEventListener('abort', leave));
    if (signal?.aborted === true) this.end();
    else void this.#begin(args, options);
  }

  get isOpen(): boolean {
    return this.#talk?.isOpen ?? false;
  }

  say(content: string): Call {
    if (this.#talk !== undefined && !this.#isOver) return this.#counted(this.#talk.say(content));
    const { clock, newId } = this.#parts;
    const call = new HeldCall({ id: newId(), tool: this.#tool, clock, onCancel: () => {} });
    const message = this.#isOver ? 'This conversation is over.' : 'This conversation has not begun yet.';
    call.fail({ code: 'NOT_TALKING', message: `${message} Begin one with a tool that keeps the session.` });
    return call;
  }

  end(): void {
    this.#talk?.end();
    this.#finish({ reason: 'left' });
  }

  async #begin(args: JsonObject, options: ApiCallOptions): Promise<void> {
    try {
      const talk = await this.#permitted(args, options);
      if (talk === undefined) return;
      this.#talk = talk;
      void talk.ended.then((ending) => this.#finish(ending));
      const call = this.#counted(talk.opening);
      for await (const event of call) this.opening.event(event);
      const { durationMs: _, ...answer } = await call.outcome;
      this.opening.end(answer);
    } catch (thrown) {
      const error = toError(thrown);
      const code = error instanceof PluglotError ? error.code : 'INTERNAL';
      this.#fail({ code, message: error.message });
    }
  }

  /** Undefined where somebody has left meanwhile. */
  async #permitted(args: JsonObject, options: ApiCallOptions): Promise<Talk | undefined> {
    const { caller = { kind: 'user' } } = options;
    // Nobody is asked about what cannot be.
    const { name } = this.#found();
    const permission = await this.#parts.gate.askPermission(name, args, caller, 'a conversation');
    if (!permission.allowed)
      throw new PluglotError('PERMISSION_DENIED', `Permission denied: ${permission.reason}`);
    if (this.#isOver) return undefined;
    // Meanwhile its plugin may have been set up anew.
    const { plugin, talk } = this.#found();
    this.#plugin = plugin;
    return talk(permission.args, optionsFor(options, caller));
  }

  #found(): Required<Pick<ResolvedTool, 'name' | 'plugin' | 'talk'>> {
    const { registry } = this.#parts;
    const resolved = registry.resolveTool(this.#tool);
    if (resolved === undefined) throw registry.whyNot(this.#tool, 'tool');
    const { name, plugin, talk } = resolved;
    if (talk === undefined) throw noTalk(plugin);
    return { name, plugin, talk };
  }

  #counted(call: Call): Call {
    const watch = this.#parts.stats?.asked();
    watch?.begun?.(this.#plugin, this.#tool);
    if (watch !== undefined) void call.outcome.then((outcome) => watch.ended(outcome));
    return call;
  }

  #fail(error: CallFailure): void {
    this.#finish({ reason: 'failed', error });
  }

  #finish(ending: TalkEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#talk === undefined)
      this.opening.fail(
        ending.reason === 'failed'
          ? ending.error
          : { code: 'CALL_CANCELLED', message: 'The user left the conversation.' },
      );
    this.#ended.resolve(ending);
  }
}

function optionsFor({ timeoutMs, context, trace }: ApiCallOptions, caller: Caller): CallOptions {
  return {
    caller: callerKey(caller),
    onBehalfOf: caller,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
  };
}
