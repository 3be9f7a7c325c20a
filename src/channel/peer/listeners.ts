// Code of others that a peer calls: it may throw or fail later, and must not end the reading of the link.
import { toError } from '../../base/error.ts';
import type { Message, Received } from '../message/message.ts';
import type { PeerTrouble } from './options.ts';

/** May be asynchronous: nobody waits for it, but its failure is told as trouble. */
export type NotificationListener = (params: unknown) => unknown;

export type OtherNotificationListener = (method: string, params: unknown) => unknown;

/** Sees every message, in the order of the wire. */
export type Observer = (direction: 'sent' | 'received', message: Message | Received) => unknown;

export class Listeners {
  readonly #byMethod = new Map<string, NotificationListener>();
  #otherwise: OtherNotificationListener | undefined;
  readonly #onTrouble: (trouble: PeerTrouble) => unknown;
  /** Undefined while nobody observes, so that it costs nothing. */
  #observers: Observer[] | undefined;

  constructor(onTrouble: (trouble: PeerTrouble) => unknown) {
    this.#onTrouble = onTrouble;
  }

  onNotification(method: string, listener: NotificationListener): void {
    this.#byMethod.set(method, listener);
  }

  onOtherNotifications(listener: OtherNotificationListener): void {
    this.#otherwise = listener;
  }

  notify(method: string, params: unknown): void {
    try {
      const listener = this.#byMethod.get(method);
      const returned = listener === undefined ? this.#otherwise?.(method, params) : listener(params);
      if (returned !== undefined) this.watch(`the listener of "${method}"`, returned);
    } catch (thrown) {
      this.threw(`the listener of "${method}"`, thrown);
    }
  }

  observe(observer: Observer): () => void {
    // One that is added twice is told twice, and each is ended by itself.
    const own: Observer = (direction, message) => observer(direction, message);
    this.#observers = [...(this.#observers ?? []), own];
    return () => {
      const left = this.#observers?.filter((other) => other !== own) ?? [];
      this.#observers = left.length === 0 ? undefined : left;
    };
  }

  observed(direction: 'sent' | 'received', message: Message | Received): void {
    if (this.#observers === undefined) return;
    for (const observer of this.#observers) {
      try {
        const returned = observer(direction, message);
        if (returned !== undefined) this.watch('an observer', returned);
      } catch (thrown) {
        this.threw('an observer', thrown);
      }
    }
  }

  trouble(trouble: PeerTrouble): void {
    try {
      const returned = this.#onTrouble(trouble);
      // Whoever listens for trouble has nobody left to tell his own.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // The same.
    }
  }

  threw(where: string, thrown: unknown): void {
    this.trouble({ kind: 'thrown', where, error: toError(thrown) });
  }

  /** A promise that nobody waits for would end the process when it fails. */
  watch(where: string, returned: unknown): void {
    if (returned instanceof Promise) returned.catch((thrown: unknown) => this.threw(where, thrown));
  }
}
