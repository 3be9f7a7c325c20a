// The lines of a file that may hold anything: piece by piece, and never more than one line in memory.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PluglotError, toError } from '../../base/error.ts';
import { LINE_MAX } from './line.ts';

export type LogLine =
  | {
      readonly kind: 'line';
      readonly number: number;
      readonly bytes: Buffer;
      /** Where it ends, line feed included. */ readonly end: number;
    }
  /** What stands after the last line feed. */
  | { readonly kind: 'rest'; readonly number: number; readonly length: number }
  | { readonly kind: 'too-long'; readonly number: number };

const CHUNK = 256 * 1024;

/**
 * Up to `limit` bytes of the file. Ends after a line that is too long.
 * @throws PluglotError CONFIG_INVALID when it is not a regular file or cannot be opened
 */
export async function* logLines(file: string, limit = Infinity): AsyncGenerator<LogLine, void, undefined> {
  const handle = await opened(file);
  try {
    if (!(await handle.stat()).isFile())
      throw new PluglotError('CONFIG_INVALID', `${file} is not a regular file. Move it away.`);
    const chunk = Buffer.allocUnsafe(CHUNK);
    let begun: Buffer[] = [];
    let begunLength = 0;
    let number = 1;
    let position = 0;
    while (position < limit) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, limit - position), position);
      if (bytesRead === 0) break;
      let at = 0;
      for (let feed = chunk.indexOf(10, 0); feed !== -1 && feed < bytesRead; feed = chunk.indexOf(10, at)) {
        const last = chunk.subarray(at, feed);
        const bytes = begunLength === 0 ? last : Buffer.concat([...begun, last]);
        begun = [];
        begunLength = 0;
        at = feed + 1;
        if (bytes.length > LINE_MAX) return yield { kind: 'too-long', number };
        yield { kind: 'line', number, bytes, end: position + at };
        number += 1;
      }
      if (at < bytesRead) {
        begun.push(Buffer.from(chunk.subarray(at, bytesRead)));
        begunLength += bytesRead - at;
      }
      if (begunLength > LINE_MAX) return yield { kind: 'too-long', number };
      position += bytesRead;
    }
    if (begunLength > 0) yield { kind: 'rest', number, length: begunLength };
  } finally {
    await handle.close();
  }
}

async function opened(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // The system's message names the file.
    throw new PluglotError('CONFIG_INVALID', toError(error).message, { cause: error });
  }
}
