// The bytes of the burst that is being collected, as one string with a character per byte: that joins faster than buffers.

export class Draft {
  #joined = '';
  /** Whether it is text that may take more than one byte a character. */
  #isText = false;

  /** In bytes; in characters while it is text. */
  get length(): number {
    return this.#joined.length;
  }

  addBytes(bytes: string): void {
    if (this.#isText) this.#settle();
    this.#joined += bytes;
  }

  /** Whether text is ASCII, and so is its own bytes, is asked once for a whole burst and not for each message. */
  addText(text: string): void {
    if (this.#joined === '') this.#isText = true;
    this.#joined += this.#isText ? text : bytesOf(text);
  }

  /** All that was collected; it is empty afterwards. */
  take(): string {
    if (this.#isText) this.#settle();
    const bytes = this.#joined;
    this.#joined = '';
    return bytes;
  }

  clear(): void {
    this.#joined = '';
    this.#isText = false;
  }

  #settle(): void {
    this.#joined = bytesOf(this.#joined);
    this.#isText = false;
  }
}

function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}
