// Writes a conversation with a plugin down while it goes on.
import { open, type FileHandle } from 'node:fs/promises';
import { PluglotError, toError } from '../../base/error.ts';
import { MiB } from '../../base/limits.ts';
import type { Observer } from '../../channel/peer/listeners.ts';
import { CASSETTE_VERSION, type CassetteEntry, type CassetteHeader } from './cassette.ts';
import { masked } from './masked.ts';
import { wireForm } from './wire-form.ts';

export interface RecorderOptions {
  readonly file: string;
  readonly header: Omit<CassetteHeader, 'cassette' | 'recordedAt'>;
  readonly now?: () => Date;
  /** What must not be written down, wherever it stands: values of variables that a plugin was handed. */
  readonly secrets?: () => readonly string[];
}

export interface Recorder {
  readonly observer: Observer;
  /** A process of the plugin was started. */
  started(): void;
  /** Resolves when all of it is on the disk; with how many messages that were. @throws PluglotError when it could not be written */
  close(): Promise<{ readonly messages: number }>;
}

/** What may wait for the disk. A plugin that says more than any disk takes is not waited for: its recording ends, and says so. */
const WAITING_MAX = 64 * MiB;

/** @throws PluglotError CONFIG_INVALID when the file is there already or cannot be made */
export async function createRecorder(options: RecorderOptions): Promise<Recorder> {
  const { file, header, now = () => new Date() } = options;
  const handle = await create(file);
  const begun = now();
  const first: CassetteHeader = { cassette: CASSETTE_VERSION, ...header, recordedAt: begun.toISOString() };
  const writer = new LineWriter(handle);
  writer.write(JSON.stringify(first));
  let messages = 0;
  const write = (entry: CassetteEntry) => writer.write(JSON.stringify(entry));
  const at = () => Math.max(0, now().getTime() - begun.getTime());
  return {
    observer(direction, message) {
      messages += 1;
      const from = direction === 'sent' ? 'host' : 'plugin';
      write({ at: at(), from, message: masked(wireForm(message), options.secrets?.() ?? []) });
    },
    started: () => write({ at: at(), event: 'started' }),
    async close() {
      await writer.close();
      return { messages };
    },
  };
}

async function create(file: string): Promise<FileHandle> {
  try {
    // Never over something else, and for the user's eyes alone.
    return await open(file, 'wx', 0o600);
  } catch (thrown) {
    const error: NodeJS.ErrnoException = toError(thrown);
    const why =
      error.code === 'EEXIST' ? 'it is there already. Choose another name, or remove it' : error.message;
    throw new PluglotError('CONFIG_INVALID', `The cassette "${file}" cannot be written: ${why}.`, {
      cause: thrown,
    });
  }
}

class LineWriter {
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #waitingSize = 0;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  write(line: string): void {
    if (this.#failure !== undefined) return;
    this.#waitingSize += line.length;
    if (this.#waitingSize > WAITING_MAX) {
      this.#failure = new Error('more was said than the disk could take');
      return;
    }
    this.#waiting.push(line);
    this.#writing ??= this.#drain();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
    if (this.#failure !== undefined)
      throw new PluglotError('UNAVAILABLE', `The recording is not complete: ${this.#failure.message}.`, {
        cause: this.#failure,
      });
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
