// The pieces of one body that comes in several reads. No rescans, and each byte is copied a fixed number of times.
import { isAscii } from 'node:buffer';
import { MiB } from '../../base/limits.ts';

/** Up to this size, in a few pieces, text is cheaper than buffers: V8 allocates it without a trip to malloc and fresh pages. */
const TEXT_MAX = 2 * MiB;
const TEXT_PIECES_MAX = 64;

export class HeldBytes {
  #size = 0;
  /** One character per byte. */
  #text = '';
  #textPieces = 0;
  /** Takes over from #text when that grows long or is made of crumbs. */
  #buffer: Buffer | undefined;
  #ascii = true;
  /** How large it will be, where that is known or can be guessed: memory that is not used is not touched. */
  #expected = 0;

  /** Tells the size of what is to come. */
  expect(size: number): void {
    this.#expected = size;
  }

  get size(): number {
    return this.#size;
  }

  add(bytes: Buffer): void {
    if (this.#ascii && !isAscii(bytes)) this.#ascii = false;
    const size = this.#size + bytes.length;
    if (this.#buffer !== undefined || size > TEXT_MAX || this.#textPieces === TEXT_PIECES_MAX) {
      this.#addToBuffer(bytes, size);
    } else {
      this.#text += bytes.toString('latin1');
      this.#textPieces += 1;
    }
    this.#size = size;
  }

  /** The text of what was collected; it holds nothing afterwards. */
  take(): string {
    const ascii = this.#ascii;
    const buffer = this.#buffer?.subarray(0, this.#size);
    const text = this.#text;
    this.clear();
    if (buffer !== undefined) return buffer.toString(ascii ? 'latin1' : 'utf8');
    return ascii ? text : Buffer.from(text, 'latin1').toString('utf8');
  }

  takeBytes(): Buffer {
    const bytes = this.#buffer?.subarray(0, this.#size) ?? Buffer.from(this.#text, 'latin1');
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#size = 0;
    this.#text = '';
    this.#textPieces = 0;
    this.#buffer = undefined;
    this.#ascii = true;
  }

  #addToBuffer(bytes: Buffer, size: number): void {
    if (this.#buffer === undefined || size > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(size * 2, this.#expected));
      if (this.#buffer === undefined) grown.write(this.#text, 'latin1');
      else this.#buffer.copy(grown, 0, 0, this.#size);
      this.#text = '';
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#size);
  }
}
