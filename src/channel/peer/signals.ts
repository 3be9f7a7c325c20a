// One listener per signal, however many calls share it: an EventTarget warns at the eleventh, and searches all of them for each.

type Followers = { readonly callbacks: Set<() => void>; readonly listener: () => void };

export class Signals {
  readonly #followers = new Map<AbortSignal, Followers>();

  /** Calls once when the signal fires; the returned function calls it off. */
  follow(signal: AbortSignal, callback: () => void): () => void {
    const followers = this.#followers.get(signal) ?? this.#listenTo(signal);
    followers.callbacks.add(callback);
    return () => {
      followers.callbacks.delete(callback);
      if (followers.callbacks.size > 0 || this.#followers.get(signal) !== followers) return;
      this.#followers.delete(signal);
      signal.removeEventListener('abort', followers.listener);
    };
  }

  #listenTo(signal: AbortSignal): Followers {
    const callbacks = new Set<() => void>();
    const listener = () => {
      this.#followers.delete(signal);
      for (const callback of callbacks) callback();
    };
    const followers = { callbacks, listener };
    this.#followers.set(signal, followers);
    signal.addEventListener('abort', listener, { once: true });
    return followers;
  }
}
