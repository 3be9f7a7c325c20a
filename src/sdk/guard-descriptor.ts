// Keeps `fs.write` and its kin away from a descriptor that has to stay the wire. Loggers such as pino print that way.
import { builtins } from '../base/builtins.ts';

/** From now on what is written to it with the functions of `node:fs`, however they were imported, is printed instead. */
export function guardDescriptor(guarded: number, print: (bytes: Uint8Array) => unknown): void {
  const { fs } = builtins;
  const { write, writeSync, writev, writevSync } = fs;
  /** Does what the function does, but prints what would go to the guarded one. */
  const guard =
    <Args extends unknown[], Result>(
      original: (...args: Args) => Result,
      instead: (bytes: Buffer, data: unknown, rest: unknown[]) => Result,
    ) =>
    (...args: Args): Result => {
      const [fd, data, ...rest] = args;
      const bytes = fd === guarded ? bytesOf(data, rest) : undefined;
      // What makes no sense is refused by the original, before it writes anything.
      return bytes === undefined ? original(...args) : instead(bytes, data, rest);
    };
  const printNow = (bytes: Buffer): number => {
    print(bytes);
    return bytes.length;
  };
  const printAndTell = (bytes: Buffer, data: unknown, rest: unknown[]): void => {
    print(bytes);
    const tell = rest.at(-1);
    if (typeof tell === 'function')
      process.nextTick(() => void Reflect.apply(tell, undefined, [null, bytes.length, data]));
  };
  Object.assign(fs, {
    write: guard((...args: unknown[]) => void Reflect.apply(write, fs, args), printAndTell),
    writev: guard((...args: unknown[]) => void Reflect.apply(writev, fs, args), printAndTell),
    writeSync: guard((...args: unknown[]) => Number(Reflect.apply(writeSync, fs, args)), printNow),
    writevSync: guard((...args: unknown[]) => Number(Reflect.apply(writevSync, fs, args)), printNow),
  });
  builtins.module.syncBuiltinESMExports();
}

/** By the forms of `fs.write`: a text and its encoding, bytes and a part of them, or several pieces. */
function bytesOf(data: unknown, rest: readonly unknown[]): Buffer | undefined {
  if (typeof data === 'string') {
    const encoding = rest.find((value) => typeof value === 'string');
    return Buffer.from(data, encoding !== undefined && Buffer.isEncoding(encoding) ? encoding : 'utf8');
  }
  if (Array.isArray(data)) {
    const pieces = data.map((piece: unknown) => bytesOf(piece, []));
    return pieces.includes(undefined)
      ? undefined
      : Buffer.concat(pieces.filter((piece) => piece !== undefined));
  }
  if (!ArrayBuffer.isView(data)) return undefined;
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [offset, length] = partOf(rest);
  return whole.subarray(offset, length === undefined ? undefined : offset + length);
}

function partOf([first, second]: readonly unknown[]): [offset: number, length: number | undefined] {
  const { offset, length } =
    typeof first === 'object' && first !== null
      ? { offset: 0, length: undefined, ...first }
      : { offset: first, length: second };
  return [typeof offset === 'number' ? offset : 0, typeof length === 'number' ? length : undefined];
}
