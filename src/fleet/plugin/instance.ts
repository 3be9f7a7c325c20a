// One process of a plugin, with the calls that it works on.
import { LinkedList, type Linked } from '../../base/queue.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { WirePort } from '../../dialect/host-dialect.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

export class Instance<Call extends Linked<Call>> {
  readonly supervisor: Supervisor;
  /** On the wire, given-up ones included as long as the plugin works on them. */
  readonly calls = new LinkedList<Call>();
  /** There while it is ready. */
  port: WirePort | undefined = undefined;
  /** A message came from it since the last check of the watchdog. */
  isAlive = false;
  /** The conversation that has it for itself. */
  talk: Conversation | undefined = undefined;

  constructor(supervisor: Supervisor) {
    this.supervisor = supervisor;
  }
}

/** What a conversation is notified of by the plugin that holds it. */
export interface Conversation {
  /** Its first call is being sent. */
  begun(): void;
  /** The plugin is gone. */
  lost(why: CallFailure): void;
}
