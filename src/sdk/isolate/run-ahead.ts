// Limits how far a thread may run ahead of the main thread: events from a loop without a pause would fill the memory.

/** So many messages may wait to be received. */
const AHEAD_MAX = 256;

export class RunAhead {
  /** How many wait, in memory that both threads see. */
  readonly #waiting: Int32Array;

  constructor(waiting: Int32Array = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.#waiting = waiting;
  }

  /** For the other thread. */
  get shared(): Int32Array {
    return this.#waiting;
  }

  /** In the thread, after a message: blocks it while too many wait. It is there to be blocked, and can be ended all the same. */
  posted(): void {
    let waiting = Atomics.add(this.#waiting, 0, 1) + 1;
    while (waiting > AHEAD_MAX) {
      Atomics.wait(this.#waiting, 0, waiting);
      waiting = Atomics.load(this.#waiting, 0);
    }
  }

  /** In the main thread, for each message. */
  received(): void {
    Atomics.sub(this.#waiting, 0, 1);
    Atomics.notify(this.#waiting, 0);
  }
}
