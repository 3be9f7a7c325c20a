// Collects the pieces of one body without rescans: each byte is copied once in, and growth doubles.

export class ByteStore {
  #buffer: Buffer | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(bytes: Buffer): void {
    const size = this.#size + bytes.length;
    if (this.#buffer === undefined) {
      this.#buffer = Buffer.from(bytes);
    } else {
      if (size > this.#buffer.length) {
        const grown = Buffer.allocUnsafe(size * 2);
        this.#buffer.copy(grown, 0, 0, this.#size);
        this.#buffer = grown;
      }
      bytes.copy(this.#buffer, this.#size);
    }
    this.#size = size;
  }

  /** What was collected; the store is empty afterwards and holds no memory. */
  take(): Buffer {
    const taken = this.#buffer === undefined ? Buffer.alloc(0) : this.#buffer.subarray(0, this.#size);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#buffer = undefined;
    this.#size = 0;
  }
}
