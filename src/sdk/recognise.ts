// Recognises the dialect of the host by its first message. What was read is handed back, so that the author end reads it again.
import { DEFAULT_FRAME_LIMIT } from '../base/units.ts';
import { isJsonObject } from '../base/json.ts';
import { sentences, shown } from '../base/text.ts';
import { parseJson } from '../channel/message/json.ts';
import type { ErrorObject, Id } from '../channel/message/message.ts';
import { standardErrors } from '../channel/message/rpc-error.ts';
import type { Ending, PipeReader } from '../channel/bytes/pipe.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { dialectOfOpening, type FirstInput } from '../dialect/openings.ts';
import type { HostPipe } from './host-pipe.ts';

export interface RecogniseOptions {
  /** Gets input that was not understood. */
  readonly print: (line: string) => void;
  /**
   * How long a line may be.
   * @default 16 MiB
   */
  readonly lineLimit?: number;
  /**
   * What names the dialect on the command line.
   * @default '--dialect'
   */
  readonly option?: string;
}

/**
 * Undefined when the host ends before it has sent anything that shows it. A line that no host begins with is answered with the
 * error that JSON-RPC has for it, and the next may do better.
 */
export function recognise(pipe: HostPipe, options: RecogniseOptions): Promise<DialectName | undefined> {
  return new Promise((resolve) => {
    pipe.peek(new Recogniser(pipe, options, resolve));
  });
}

const LF = 0x0a;

class Recogniser implements PipeReader {
  readonly #pipe: HostPipe;
  readonly #options: RecogniseOptions;
  readonly #resolve: (dialect: DialectName | undefined) => void;
  /** The line whose end has not come, as long as it is within the limit. */
  #pieces: Buffer[] = [];
  #size = 0;
  #hasComplained = false;

  constructor(
    pipe: HostPipe,
    options: RecogniseOptions,
    resolve: (dialect: DialectName | undefined) => void,
  ) {
    this.#pipe = pipe;
    this.#options = options;
    this.#resolve = resolve;
  }

  data(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      if (this.#size === 0 && chunk[start] === 0) {
        this.#found('gassist', chunk.subarray(start));
        return;
      }
      const lineEnd = chunk.indexOf(LF, start);
      this.#hold(chunk.subarray(start, lineEnd === -1 ? chunk.length : lineEnd + 1));
      if (lineEnd === -1) return;
      if (this.#endOfLine(chunk.subarray(lineEnd + 1))) return;
      start = lineEnd + 1;
    }
  }

  end(_ending: Ending): void {
    // A last line may lack its end.
    if (this.#size === 0 || !this.#endOfLine(Buffer.alloc(0))) this.#resolve(undefined);
  }

  #hold(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) this.#pieces = [];
    // The piece is lent until the reading returns.
    else this.#pieces.push(Buffer.from(piece));
  }

  /** True when the line shows the dialect. */
  #endOfLine(rest: Buffer): boolean {
    const line = withoutByteOrderMark(Buffer.concat(this.#pieces));
    const size = this.#size;
    this.#pieces = [];
    this.#size = 0;
    if (size > this.#limit) {
      this.#refuse(
        null,
        standardErrors.invalidRequest,
        `a line of ${size} bytes; the limit is ${this.#limit}`,
      );
      return false;
    }
    const text = line.toString();
    if (text.trim() === '') return false;
    const opening = read(text);
    if ('problem' in opening) {
      this.#refuse(null, opening.problem, shown(text.trim()));
      return false;
    }
    const dialect = dialectOfOpening(opening);
    if (dialect === undefined) {
      this.#refuse(opening.id, standardErrors.methodNotFound, shown(opening.method));
      return false;
    }
    this.#found(dialect, Buffer.concat([line, rest]));
    return true;
  }

  get #limit(): number {
    return this.#options.lineLimit ?? DEFAULT_FRAME_LIMIT;
  }

  #found(dialect: DialectName, bytes: Buffer): void {
    this.#pipe.handBack(Buffer.from(bytes));
    this.#resolve(dialect);
  }

  /** A notification is not answered. */
  #refuse(id: Id | undefined, { code, message }: ErrorObject, got: string): void {
    const problem = `The host began with ${got}, and no host of a known dialect begins so; ${this.#options.option ?? '--dialect'} names the dialect where it cannot be recognised.`;
    // Once: a host that goes on like this may not read stderr either.
    if (!this.#hasComplained) this.#options.print(problem);
    this.#hasComplained = true;
    if (id === undefined || !this.#pipe.hasRoom) return;
    const error = { code, message: sentences(message, problem) };
    this.#pipe.write({ text: `${JSON.stringify({ jsonrpc: '2.0', id, error })}\n` });
  }
}

type Opening = Extract<FirstInput, { kind: 'message' }> & { readonly id?: Id };

/** The first message of a batch decides. */
function read(text: string): Opening | { readonly problem: ErrorObject } {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return { problem: standardErrors.parseError };
  }
  const message: unknown = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(message) || typeof message['method'] !== 'string') {
    return { problem: standardErrors.invalidRequest };
  }
  const { id, method, params } = message;
  return {
    kind: 'message',
    method,
    params,
    ...(typeof id === 'string' || typeof id === 'number' || id === null ? { id } : {}),
  };
}

/** Some shells of Windows begin with one; the author ends read lines that do not. */
function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
