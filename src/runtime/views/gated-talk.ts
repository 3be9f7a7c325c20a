// A conversation through the gate: asked about like a call, then with the plugin itself. What is said in it is counted like calls.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { toError, PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/sentence.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Call, CallOptions } from '../../fleet/plugin/call.ts';
import { HeldCall } from '../../fleet/plugin/held-call.ts';
import type { Talk, TalkEnding } from '../../fleet/plugin/talk.ts';
import { noTalk } from '../../fleet/registry/no-talk.ts';
import type { CallSource, ResolvedTool } from '../../fleet/registry/resolved.ts';
import type { Gate, TalkPassage } from '../../gate/gate.ts';
import { turnKey } from '../../gate/limits/limit-options.ts';
import type { ApiCallOptions } from '../api.ts';
import type { CallStats } from './call-stats.ts';

export interface GatedTalkParts {
  readonly registry: Pick<CallSource, 'resolveTool' | 'whyNot'>;
  readonly gate: Pick<Gate, 'talk'>;
  /** @default nobody counts */
  readonly stats?: Pick<CallStats, 'watch'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface TalkOptions extends ApiCallOptions {
  readonly caller: Caller;
}

export class GatedTalk implements Talk {
  readonly opening: HeldCall;
  readonly ended: Promise<TalkEnding>;
  readonly #ended = deferred<TalkEnding>();
  readonly #parts: GatedTalkParts;
  readonly #tool: string;
  /** Undefined where nobody had to be asked. */
  readonly #passage: TalkPassage | undefined;
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
    this.#passage = begun instanceof Error ? undefined : begun;
    this.opening = new HeldCall({
      id: this.#passage?.id ?? newId(),
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
    const call = new HeldCall({ id: newId(), tool: this.#tool, clock, onCancel: () => {} });
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

  /** Nobody is asked about what cannot be. */
  #ask(args: JsonObject, options: TalkOptions): TalkPassage | Error {
    try {
      const { name } = this.#found();
      const passage = this.#parts.gate.talk(name, args, options);
      passage.onGivenUp = () => this.end();
      return passage;
    } catch (thrown) {
      return toError(thrown);
    }
  }

  async #begin(passage: TalkPassage, options: TalkOptions): Promise<void> {
    try {
      const permitted = await passage.permitted;
      if (!permitted.ok) return this.#finish({ reason: 'failed', error: permitted.error });
      void this.ended.then((ending) =>
        passage.ended(ending.reason === 'failed' ? { ok: false, error: ending.error } : { ok: true }),
      );
      if (this.#isOver) return;
      // Meanwhile its plugin may have been set up anew.
      const { plugin, talk } = this.#found();
      this.#plugin = plugin;
      this.#talk = talk(permitted.args, optionsFor(options, passage));
      void this.#talk.ended.then((ending) => this.#finish(ending));
      const call = this.#counted(this.#talk.opening);
      for await (const event of call) this.opening.event(event);
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
    if (this.#talk === undefined) this.#passage?.giveUp('The user left the conversation.');
    if (this.#talk === undefined)
      this.opening.fail(
        ending.reason === 'failed'
          ? ending.error
          : { code: 'CALL_CANCELLED', message: 'The user left the conversation.' },
      );
    this.#ended.resolve(ending);
  }
}

function optionsFor({ timeoutMs, context, caller }: TalkOptions, { id, trace }: TalkPassage): CallOptions {
  return {
    id,
    caller: turnKey(caller),
    onBehalfOf: caller,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
  };
}
