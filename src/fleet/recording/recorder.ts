// Records a conversation with a plugin.
import { open, type FileHandle } from 'node:fs/promises';
import { PluglotError, toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { sentence } from '../../base/text.ts';
import type { Observer } from '../../channel/peer/options.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import { CASSETTE_VERSION, type CassetteEntry, type CassetteHeader, maskerOf, wireForm } from './cassette.ts';

export interface RecorderOptions {
  readonly file: string;
  /** Without a dialect nothing is written until `speaks` is called. */
  readonly header: Omit<CassetteHeader, 'cassette' | 'recordedAt' | 'dialect'> & {
    readonly dialect?: DialectName | undefined;
  };
  readonly now?: () => Date;
  /** Masks known secrets. @default only what looks like a secret is masked */
  readonly secrets?: Pick<Secrets, 'mask'> | undefined;
  /**
   * How many characters may wait for the disk. If a plugin sends faster than the disk writes, its recording ends with an error.
   * @default 64 Mi
   */
  readonly waitingMax?: number;
}

export interface Recorder {
  readonly observer: Observer;
  /** A message in its wire form; other output is a string. */
  record(from: 'host' | 'plugin', message: Json): void;
  /** A process of the plugin was started. */
  started(): void;
  /** Sets the dialect if it was unknown; the first call counts. */
  speaks(dialect: DialectName): void;
  /** The number of messages so far. */
  messages(): number;
  /** Whether the dialect is known. */
  isBegun(): boolean;
  /** Resolves with the number of messages when all are on disk. @throws PluglotError when writing failed */
  close(): Promise<{ readonly messages: number }>;
}

const WAITING_MAX = 64 * MiB;

/** @throws PluglotError CONFIG_INVALID when the file exists or cannot be created */
export async function createRecorder(options: RecorderOptions): Promise<Recorder> {
  const { file, header, now = () => new Date(), secrets, waitingMax = WAITING_MAX } = options;
  const writer = new LineWriter(await create(file), waitingMax);
  const begun = now();
  const mask = maskerOf(secrets);
  let messages = 0;
  let isSpeaking = false;
  const write = (entry: CassetteEntry) => writer.write(JSON.stringify(entry));
  const at = () => Math.max(0, now().getTime() - begun.getTime());
  const record = (from: 'host' | 'plugin', message: Json) => {
    messages += 1;
    write({ at: at(), from, message: safely(mask, message) });
  };
  const speaks = (dialect: DialectName) => {
    if (isSpeaking) return;
    isSpeaking = true;
    const { plugin, command } = header;
    const first: CassetteHeader = {
      cassette: CASSETTE_VERSION,
      plugin,
      dialect,
      recordedAt: begun.toISOString(),
      ...(command !== undefined && { command }),
    };
    writer.begin(JSON.stringify(first));
  };
  if (header.dialect !== undefined) speaks(header.dialect);
  return {
    observer: (direction, message) => record(direction === 'sent' ? 'host' : 'plugin', wireForm(message)),
    record,
    started: () => write({ at: at(), event: 'started' }),
    speaks,
    messages: () => messages,
    isBegun: () => isSpeaking,
    async close() {
      await writer.close();
      return { messages };
    },
  };
}

/** JSON.stringify fails on values that are nested too deeply. */
function safely(mask: (message: Json) => Json, message: Json): Json {
  try {
    return mask(message);
  } catch {
    return '(nested too deeply to be written down)';
  }
}

async function create(file: string): Promise<FileHandle> {
  try {
    // Never overwrites a file, and only the user may read it.
    return await open(file, 'wx', 0o600);
  } catch (thrown) {
    const error: NodeJS.ErrnoException = toError(thrown);
    const why =
      error.code === 'EEXIST' ? 'it exists already. Choose another name, or remove it' : error.message;
    throw new PluglotError('CONFIG_INVALID', `The cassette "${file}" cannot be written: ${sentence(why)}`, {
      cause: thrown,
    });
  }
}

/** Nothing goes to the disk before `begin`. */
class LineWriter {
  readonly #handle: FileHandle;
  readonly #waitingMax: number;
  #waiting: string[] = [];
  #waitingSize = 0;
  #hasBegun = false;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(handle: FileHandle, waitingMax: number) {
    this.#handle = handle;
    this.#waitingMax = waitingMax;
  }

  begin(first: string): void {
    this.#hasBegun = true;
    this.#waiting.unshift(first);
    this.#writing ??= this.#drain();
  }

  write(line: string): void {
    if (this.#failure !== undefined) return;
    this.#waitingSize += line.length;
    if (this.#waitingSize > this.#waitingMax) {
      this.#failure = new Error('messages came faster than the disk could write them');
      return;
    }
    this.#waiting.push(line);
    if (this.#hasBegun) this.#writing ??= this.#drain();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
    if (this.#failure !== undefined)
      throw new PluglotError(
        'UNAVAILABLE',
        `The recording is not complete: ${sentence(this.#failure.message)}`,
        {
          cause: this.#failure,
        },
      );
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting;
        this.#waiting = [];
        this.#waitingSize = 0;
        await this.#handle.appendFile(`${lines.join('\n')}\n`);
      }
    } catch (thrown) {
      this.#failure = toError(thrown);
    } finally {
      this.#writing = undefined;
    }
  }
}
