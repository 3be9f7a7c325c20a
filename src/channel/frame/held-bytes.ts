// The pieces of one body that comes in several reads. No rescans, and each byte is copied a fixed number of times.
import { builtins } from '../../base/builtins.ts';
import { KiB, MiB } from '../../base/units.ts';

// Always there, and asked for every message.
const { isAscii } = builtins.buffer;

/** Below this size, in a few pieces, text is cheaper than buffers: V8 allocates it without a trip to malloc. */
const TEXT_MAX = 32 * KiB;
const TEXT_PIECES_MAX = 64;

/**
 * One buffer for all bodies of a medium size, since memory that is touched for the first time costs more than the copy into it.
 * The last user gets it, and the one before takes its bytes along: it need not be released.
 */
const SHARED_SIZE = 2 * MiB;
const shared: { buffer?: Buffer; holder?: HeldBytes | undefined } = {};

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
    const text = this.#textOfAll();
    this.clear();
    return text;
  }

  takeBytes(): Buffer {
    if (shared.holder === this) this.#leaveShared();
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
    if (shared.holder === this) shared.holder = undefined;
  }

  #textOfAll(): string {
    if (this.#buffer !== undefined)
      return this.#buffer.toString(this.#ascii ? 'latin1' : 'utf8', 0, this.#size);
    return this.#ascii ? this.#text : Buffer.from(this.#text, 'latin1').toString('utf8');
  }

  #addToBuffer(bytes: Buffer, size: number): void {
    if (this.#buffer === undefined || size > this.#buffer.length) {
      this.#moveTo(
        size <= SHARED_SIZE ? this.#takeDesk() : Buffer.allocUnsafe(Math.max(size * 2, this.#expected)),
      );
    }
    bytes.copy(this.#buffer as Buffer, this.#size); // moved to just now, if not before
  }

  #takeDesk(): Buffer {
    if (shared.holder !== undefined) shared.holder.#leaveShared();
    shared.holder = this;
    shared.buffer ??= Buffer.allocUnsafeSlow(SHARED_SIZE);
    return shared.buffer;
  }

  #leaveShared(): void {
    this.#moveTo(Buffer.allocUnsafe(Math.max(this.#size * 2, this.#expected)));
  }

  #moveTo(buffer: Buffer): void {
    if (this.#buffer === undefined) buffer.write(this.#text, 'latin1');
    else this.#buffer.copy(buffer, 0, 0, this.#size);
    this.#text = '';
    this.#buffer = buffer;
    if (shared.holder === this && buffer !== shared.buffer) shared.holder = undefined;
  }
}
