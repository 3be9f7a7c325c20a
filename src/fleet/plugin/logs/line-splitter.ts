// Cuts what a program prints into lines, whatever the pieces it comes in, and in bounded memory.
import { StringDecoder } from 'node:string_decoder';

/** A line that is longer comes in pieces. */
const LINE_MAX = 16 * 1024;

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Gives the rest, which had no end. What comes all the same begins a new line. */
  end(): void;
}

/** `isPiece`: it is a part of a longer line. */
export function lineSplitter(onLine: (line: string, isPiece: boolean) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** The beginning of what is in `rest` was given already. */
  let isCut = false;
  const give = (line: string, isEnd: boolean) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text !== '') onLine(text, isCut || !isEnd);
    isCut = !isEnd;
  };
  return {
    push(chunk) {
      const lines = decoder.write(chunk).split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      for (const line of lines) give(line, true);
      while (rest.length > LINE_MAX) {
        give(rest.slice(0, LINE_MAX), false);
        rest = rest.slice(LINE_MAX);
      }
    },
    end() {
      give(rest + decoder.end(), true);
      rest = '';
    },
  };
}
