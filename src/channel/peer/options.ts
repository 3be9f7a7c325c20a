// How a peer is set up.
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Trouble } from '../link/link.ts';
import type { Id } from '../message/message.ts';

export interface PeerOptions {
  /**
   * Who is at the other end, as error messages shall call it.
   * @default 'the other end'
   */
  readonly name?: string;
  /**
   * The time limit of a request that brings none.
   * @default no limit
   */
  readonly timeoutMs?: number;
  /**
   * How many requests of ours may be under way; `request` then waits for its turn.
   * @default 65,536
   */
  readonly maxInFlight?: number;
  /**
   * How many requests may wait for their turn or for room in the pipe.
   * @default 65,536
   */
  readonly maxWaiting?: number;
  /**
   * Requests of the other end one at a time in their order, or each as it comes. Notifications never wait.
   * @default 'concurrent'
   */
  readonly handling?: 'serial' | 'concurrent';
  /**
   * How many requests of the other end may run or wait here; what is over it is answered with -32000.
   * @default 65,536
   */
  readonly maxHandling?: number;
  /**
   * How long the other end may leave its answers unread once they fill the pipe; then the link is given up.
   * @default 30,000
   */
  readonly stallTimeoutMs?: number;
  /**
   * Whether bodies that are no JSON-RPC are answered with -32700 or -32600, as the specification wants it. A host of programs that
   * print to stdout says false: then they are noise.
   * @default true
   */
  readonly answerInvalid?: boolean;
  /** How this protocol says that a request is given up; without it nothing is said. */
  readonly cancel?: CancelWords;
  /** Told of what went wrong and was survived. */
  readonly onTrouble?: (trouble: PeerTrouble) => unknown;
  readonly clock?: Clock;
}

export interface CancelWords {
  /** The notification that gives up our request. */
  say(id: Id, reason: Error): { readonly method: string; readonly params: unknown };
  /** The notification method that gives up the other end's request … */
  readonly method: string;
  /** … and the id it names. */
  idIn(params: unknown): Id | undefined;
}

/** A notification listener, response listener or observer threw; or something came that is no message. */
export type PeerTrouble =
  | Trouble
  | { readonly kind: 'invalid'; readonly reason: string; readonly text: string }
  | { readonly kind: 'thrown'; readonly where: string; readonly error: Error };

export type ResolvedPeerOptions = Required<Omit<PeerOptions, 'cancel'>> & Pick<PeerOptions, 'cancel'>;

export function resolveOptions(options: PeerOptions): ResolvedPeerOptions {
  return {
    name: options.name ?? 'the other end',
    timeoutMs: options.timeoutMs ?? Infinity,
    maxInFlight: options.maxInFlight ?? 65_536,
    maxWaiting: options.maxWaiting ?? 65_536,
    handling: options.handling ?? 'concurrent',
    maxHandling: options.maxHandling ?? 65_536,
    stallTimeoutMs: options.stallTimeoutMs ?? 30_000,
    answerInvalid: options.answerInvalid ?? true,
    onTrouble: options.onTrouble ?? (() => {}),
    clock: options.clock ?? systemClock,
    ...(options.cancel === undefined ? {} : { cancel: options.cancel }),
  };
}
