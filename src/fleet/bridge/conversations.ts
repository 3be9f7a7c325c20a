// The one conversation that a host may have with the plugins behind it.
import type { Around, BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk } from '../plugin/talk.ts';
import { optionsFor, passOn, refuse } from './pass-on.ts';

export class Conversations {
  #talk: Talk | undefined;

  /** A call that may keep the session. Whoever calls anew has left the conversation before. */
  begin(plugin: Plugin, tool: string, request: BackendRequest, sink: CallSink): RunningCall {
    this.end();
    const talk = plugin.talk(tool, request.args, optionsFor(plugin, request));
    this.#talk = talk;
    void talk.ended.then(() => {
      if (this.#talk === talk) this.#talk = undefined;
    });
    return passOn(talk.opening, sink);
  }

  input(content: string, _around: Around, sink: CallSink): RunningCall {
    if (this.#talk === undefined)
      return refuse(
        { code: 'NOT_TALKING', message: 'No plugin keeps the session: call a tool that does so first.' },
        sink,
      );
    return passOn(this.#talk.say(content), sink);
  }

  end(): void {
    this.#talk?.end();
    this.#talk = undefined;
  }
}
