// Whoever wants to hear of something: added and taken away at any time, and unable to harm the one who tells.

export class Emitter<Event> {
  /** Replaced, never changed: whoever is being told goes through the list that was there. */
  #listeners: readonly ((event: Event) => void)[] = [];

  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** Hears every event from now on; the returned function ends that. One that is added twice is told twice. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // It is the listener's own trouble, and has nobody to be told to.
      }
    }
  }
}
