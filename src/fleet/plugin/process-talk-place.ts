// A conversation with a process of a plugin: it has that process for itself, and what takes too long ends with it.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { takesNoMessages } from './dispatch-failures.ts';
import type { Dispatcher } from './dispatcher.ts';
import { failureOf, type OpenCall, type Send } from './open-call.ts';
import type { Conversation, TalkPlace } from './talk.ts';

export interface ProcessTalkPorts {
  readonly plugin: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  talkMs(): number;
  open(talk: Conversation): OpenCall;
  input(send: Send): OpenCall;
}

export function processTalkPlace(ports: ProcessTalkPorts): TalkPlace<OpenCall> {
  const { plugin, clock, dispatcher } = ports;
  let opening: OpenCall | undefined;
  let last: OpenCall | undefined;
  /** There once the first call was sent. */
  const instance = () => opening?.instance;
  const input = (content: string) =>
    ports.input((end, call) => {
      if (end.talk === undefined)
        throw new PluglotError('NOT_TALKING', `Plugin "${plugin}" holds no conversations.`);
      return end.talk.input(content, call, call.timeoutMs);
    });
  return {
    plugin,
    clock,
    talkMs: () => ports.talkMs(),
    open(talk) {
      opening = ports.open(talk);
      // No queue has it before it is submitted.
      opening.phase = 'off';
      return opening;
    },
    submit(call) {
      call.phase = 'waiting';
      dispatcher.submit(call);
    },
    isBusy: () => instance() === undefined || isOnTheWire(last ?? opening),
    say(content) {
      const held = instance();
      const call = input(content);
      last = call;
      if (held === undefined) return unsent(call, failureOf(takesNoMessages(plugin)));
      dispatcher.sendTo(held, call);
      return call;
    },
    refused: (why) => unsent(input(''), why),
    expired: (current, why) => dispatcher.endTalk(instance(), current, why),
    left() {
      const held = instance();
      if (held?.talk === undefined || held.talk !== opening?.talk) return;
      held.talk = undefined;
      dispatcher.released(held);
    },
  };
}

/** Also when nobody waits for its answer any more. */
function isOnTheWire(call: OpenCall | undefined): boolean {
  return call?.phase === 'sent' || call?.phase === 'abandoned';
}

function unsent(call: OpenCall, why: CallFailure): OpenCall {
  call.phase = 'off';
  call.fail(why);
  return call;
}
