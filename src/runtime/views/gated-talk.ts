// A conversation through the gate: asked about like a call, then with the plugin itself. Its inputs are counted like calls.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { toError, PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import type { Caller } from '../../definition/caller.ts';
import { type Call, PendingCall, type CallOptions } from '../../definition/call.ts';
import type { Talk, TalkEnding } from '../../fleet/plugin/talk.ts';
import { noTalk } from '../../fleet/registry/in-process-talks.ts';
import type { CallSource, ResolvedTool } from '../../fleet/registry/contract.ts';
import type { Gate, TalkPermission } from '../../gate/gate.ts';
import { turnKey } from '../../gate/limits/limit-options.ts';
import type { ApiCallOptions } from '../api.ts';
import type { CallStats } from './call-stats.ts';

export interface GatedTalkParts {
  readonly registry: Pick<CallSource, 'resolveTool' | 'whyNot'>;
  readonly gate: Pick<Gate, 'talk'>;
  /** @default calls are not counted */
  readonly stats?: Pick<CallStats, 'watch'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface TalkOptions extends ApiCallOptions {
  readonly caller: Caller;
}

export class GatedTalk implements Talk {
  readonly opening: PendingCall;
  readonly ended: Promise<TalkEnding>;
  readonly #ended = deferred<TalkEnding>();
  readonly #parts: GatedTalkParts;
  readonly #tool: string;
  /** Undefined where the conversation did not begin. */
  readonly #permission: TalkPermission | undefined;
  #talk: Talk | undefined;
  #plugin = '';
  #isOver = false;

  constructor(parts: GatedTalkParts, tool: string, args: JsonObject, options: TalkOptions) {
    this.#parts = parts;
    this.#tool = tool;
    this.ended = this.#ended.promise;
    const { clock, newId } = parts;
    const { signal } = options;
    const begun = signal?.aborted === true ? undefined : this.#ask(args, options);
    this.#permission = begun instanceof Error ? undefined : begun;
    this.opening = new PendingCall({
      id: this.#permission?.id ?? newId(),
      tool,
      clock,
      onCancel: () => this.end(),
    });
    const leave = () => this.end();
    signal?.addEventListener('abort', leave, { once: true });
    void this.ended.then(() => signal?.removeEventListener('abort', leave));
    if (begun === undefined) this.end();
    else if (begun instanceof Error) this.#fail(begun);
    else void this.#begin(begun, options);
  }

  get isOpen(): boolean {
    return this.#talk?.isOpen ?? false;
  }

  say(content: string): Call {
    if (this.#talk !== undefined && !this.#isOver) return this.#counted(this.#talk.say(content));
    const { clock, newId } = this.#parts;
    const call = new PendingCall({ id: newId(), tool: this.#tool, clock, onCancel: () => {} });
    const message = this.#isOver ? 'This conversation is over.' : 'This conversation has not begun yet.';
    call.fail({
      code: 'NOT_TALKING',
      message: sentences(message, 'Begin one with a tool that keeps the session.'),
    });
    return call;
  }

  end(): void {
    this.#talk?.end();
    this.#finish({ reason: 'left' });
  }

  /** No question is asked about a conversation that cannot begin. */
  #ask(args: JsonObject, options: TalkOptions): TalkPermission | Error {
    try {
      const { name } = this.#found();
      const permission = this.#parts.gate.talk(name, args, options);
      permission.onGivenUp = () => this.end();
      return permission;
    } catch (thrown) {
      return toError(thrown);
    }
  }

  async #begin(permission: TalkPermission, options: TalkOptions): Promise<void> {
    try {
      const permitted = await permission.permitted;
      if (!permitted.ok) return this.#finish({ reason: 'failed', error: permitted.error });
      void this.ended.then((ending) =>
        permission.ended(ending.reason === 'failed' ? { ok: false, error: ending.error } : { ok: true }),
      );
      if (this.#isOver) return;
      // Meanwhile its plugin may have been set up anew.
      const { plugin, talk } = this.#found();
      this.#plugin = plugin;
      this.#talk = talk(permitted.args, optionsFor(options, permission));
      void this.#talk.ended.then((ending) => this.#finish(ending));
      const call = this.#counted(this.#talk.opening);
      this.opening.passOn(call);
      const { durationMs: _, ...answer } = await call.outcome;
      this.opening.end(answer);
    } catch (thrown) {
      this.#fail(toError(thrown));
    }
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
    const watch = this.#parts.stats?.watch();
    watch?.begun(this.#plugin, this.#tool);
    if (watch !== undefined) void call.outcome.then((outcome) => watch.ended(outcome));
    return call;
  }

  #fail(error: Error): void {
    const code = error instanceof PluglotError ? error.code : 'INTERNAL';
    this.#finish({ reason: 'failed', error: { code, message: error.message } });
  }

  #finish(ending: TalkEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#talk === undefined) this.#permission?.giveUp('The user left the conversation.');
    if (this.#talk === undefined)
      this.opening.fail(
        ending.reason === 'failed'
          ? ending.error
          : { code: 'CALL_CANCELLED', message: 'The user left the conversation.' },
      );
    this.#ended.resolve(ending);
  }
}

function optionsFor({ timeoutMs, context, caller }: TalkOptions, { id, trace }: TalkPermission): CallOptions {
  return {
    id,
    caller: turnKey(caller),
    onBehalfOf: caller,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
  };
}
