// How a peer is set up, and how a call of it is made.
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Trouble } from '../link/link.ts';
import type { Id, Message, Received } from '../message/message.ts';

export interface PeerOptions {
  /**
   * The other end, in error messages.
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
   * Whether bodies that are not JSON-RPC are answered with -32700 or -32600, as the specification requires. False for a host of
   * programs that print to stdout: then they are noise.
   * @default true
   */
  readonly answerInvalid?: boolean;
  /** How this protocol cancels requests; without it the other end is not notified. */
  readonly cancel?: CancelProtocol;
  /** Why a request of the other end is too large, for the answer to it. @default its size, and that there is a limit */
  readonly describeOversize?: (size: number, excess: string | undefined) => string;
  /** Called for problems that were survived. */
  readonly onTrouble?: (trouble: PeerTrouble) => unknown;
  readonly clock?: Clock;
}

export interface CancelProtocol {
  /** The notification that gives up our request. */
  notification(id: Id, reason: Error): { readonly method: string; readonly params: unknown };
  /** The notification method that gives up the other end's request … */
  readonly method: string;
  /** … and the id it names. */
  idIn(params: unknown): Id | undefined;
}

/** A notification listener, response listener or observer threw; or the input was not a message. */
export type PeerTrouble =
  | Trouble
  | { readonly kind: 'invalid'; readonly reason: string; readonly text: string }
  | { readonly kind: 'thrown'; readonly where: string; readonly error: Error };

export type ResolvedPeerOptions = Required<Omit<PeerOptions, 'cancel' | 'describeOversize'>> &
  Pick<PeerOptions, 'cancel' | 'describeOversize'>;

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
    ...(options.describeOversize === undefined ? {} : { describeOversize: options.describeOversize }),
  };
}

export interface CallOptions {
  /** Counts from sending, or from when the pipe had no room for it. Replaces that of the peer. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * For protocols whose ids have a meaning. It must not be in use; a batch has none.
   * @default the next number
   */
  readonly id?: string;
  /** The request of the other end that this one belongs to. */
  readonly about?: Id;
}

/** May be asynchronous: it is not awaited, but its failure is reported as trouble. */
export type NotificationListener = (params: unknown) => unknown;

export type OtherNotificationListener = (method: string, params: unknown) => unknown;

/** Sees every message, in the order of the wire. */
export type Observer = (direction: 'sent' | 'received', message: Message | Received) => unknown;
