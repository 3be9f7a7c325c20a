// One process of a plugin, as the dispatcher sees it: whether it takes calls, and which it has.
import { LinkedList, type Linked } from '../../base/linked-list.ts';
import type { HostEnd } from '../../dialect/host-dialect.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Conversation } from './talk.ts';

export class Instance<Call extends Linked<Call>> {
  readonly supervisor: Supervisor;
  /** On the wire, given-up ones included as long as the plugin works on them. */
  readonly calls = new LinkedList<Call>();
  /** There while it is ready. */
  end: HostEnd | undefined = undefined;
  /** Something came from it since the watchdog asked last. */
  heard = false;
  /** The conversation that has it for itself. */
  talk: Conversation | undefined = undefined;

  constructor(supervisor: Supervisor) {
    this.supervisor = supervisor;
  }
}
