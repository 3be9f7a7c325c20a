// Listeners for one kind of event. They may be added and removed at any time; one that throws does not disturb the emitter.

export class Emitter<Event> {
  /** Replaced, never changed: an emit under way goes through the list it began with. */
  #listeners: readonly ((event: Event) => void)[] = [];

  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** Calls the listener with every event; the returned function removes it. A listener that is added twice is called twice. */
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
        // An error of the listener; there is no one to report it to.
      }
    }
  }
}
