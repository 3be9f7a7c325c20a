// Makes the calls and the conversations of one plugin, and lets them end with the signals of who asked.
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { Signals } from '../../channel/peer/signals.ts';
import type { Call, CallOptions } from './call.ts';
import type { Dispatcher } from './dispatcher.ts';
import { OpenCall, sendTool, type Send } from './open-call.ts';
import { processTalkPlace } from './process-talk-place.ts';
import { OpenTalk, type Conversation, type Talk } from './talk.ts';

export interface CallMakerPorts {
  /** The name of the plugin. */
  readonly plugin: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  nextCallNumber(): number;
  /** How long a conversation may take. */
  talkMs(): number;
}

export class CallMaker {
  readonly #ports: CallMakerPorts;
  readonly #dispatcher: Dispatcher;
  readonly #signals = new Signals();

  constructor(ports: CallMakerPorts) {
    this.#ports = ports;
    this.#dispatcher = ports.dispatcher;
  }

  submit(send: Send, tool: string, args: JsonObject, options: CallOptions | undefined): Call {
    const call = this.#newCall(send, tool, args, options);
    if (options?.signal === undefined || this.#follow(call, options.signal)) this.#dispatcher.submit(call);
    return call;
  }

  talk(tool: string, args: JsonObject, options: CallOptions | undefined): Talk {
    const { plugin, clock } = this.#ports;
    const place = processTalkPlace({
      plugin,
      clock,
      dispatcher: this.#dispatcher,
      talkMs: () => this.#ports.talkMs(),
      open: (conversation) => this.#newCall(sendTool, tool, args, options, conversation),
      input: (send) => this.#newCall(send, tool, {}, options),
    });
    return new OpenTalk(place).begin(options?.signal, this.#signals);
  }

  #newCall(
    send: Send,
    tool: string,
    args: JsonObject,
    options: CallOptions | undefined,
    talk?: Conversation,
  ): OpenCall {
    return new OpenCall(this.#dispatcher, this.#ports.nextCallNumber(), send, tool, args, options, talk);
  }

  /** False when it is over before it began. */
  #follow(call: OpenCall, signal: AbortSignal): boolean {
    if (signal.aborted) {
      call.phase = 'off';
      call.cancel();
      return false;
    }
    call.whenSettled(this.#signals.follow(signal, () => call.cancel()));
    return true;
  }
}
