// The one conversation that a host may have with the plugins behind it.
import { sentences } from '../../base/sentence.ts';
import type { Around, BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import { leftBehind } from '../../dialect/kept-session.ts';
import type { Call } from '../plugin/call.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk, TalkEnding } from '../plugin/talk.ts';
import { optionsFor, passOn, refuse } from './pass-on.ts';

export class Conversations {
  #talk: Talk | undefined;
  /** How the last one ended, when it was not the host that left it. */
  #ending: TalkEnding | undefined;

  /** A call that may keep the session. */
  begin(plugin: Plugin, tool: string, request: BackendRequest, sink: CallSink): RunningCall {
    this.leave();
    const talk = plugin.talk(tool, request.args, optionsFor(plugin, request));
    this.#talk = talk;
    void talk.ended.then((ending) => {
      if (this.#talk !== talk) return;
      this.#talk = undefined;
      this.#ending = ending;
    });
    return this.#pass(talk, talk.opening, sink);
  }

  input(content: string, _around: Around, sink: CallSink): RunningCall {
    if (this.#talk === undefined) return refuse({ code: 'NOT_TALKING', message: this.#whyNot() }, sink);
    return this.#pass(this.#talk, this.#talk.say(content), sink);
  }

  /** Whoever asks for something else has left it: the plugin is free for that. What is under way is answered before, and keeps no session. */
  leave(): void {
    const talk = this.#talk;
    this.#talk = undefined;
    this.#ending = undefined;
    if (talk?.isOpen === true) talk.end();
  }

  /** Nothing of it goes on. */
  end(): void {
    this.#talk?.end();
    this.#talk = undefined;
  }

  #pass(talk: Talk, call: Call, sink: CallSink): RunningCall {
    const isLeft = () => this.#talk !== talk;
    void call.outcome.then(() => {
      if (isLeft()) talk.end();
    });
    return passOn(call, sink, (answer) => (isLeft() ? leftBehind(answer) : answer));
  }

  #whyNot(): string {
    const message = 'No plugin keeps the session: call a tool that does so first.';
    return this.#ending?.reason === 'failed' ? sentences(this.#ending.error.message, message) : message;
  }
}
