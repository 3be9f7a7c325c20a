// Everything that is written to the log of one plugin, in one place: what it logs, what it prints, what happens to it.
import type { PluglotError } from '../../../base/error.ts';
import { traceIdOf, type Trace } from '../../../base/trace.ts';
import type { PeerTrouble } from '../../../channel/peer/options.ts';
import type { LogEntry } from '../../../definition/tool.ts';
import { describeTrouble } from './describe-trouble.ts';
import { LogRing, type KeptRecord, type LogBook } from './log-book.ts';
import { lineSplitter } from './line-splitter.ts';
import { logFile, type LogFile } from './log-file.ts';

export class PluginLog {
  readonly #ring = new LogRing();
  readonly #file: LogFile | undefined;

  constructor(plugin: string, folder: string | undefined, onEntry: (entry: KeptRecord) => void) {
    this.#file = folder === undefined ? undefined : logFile(folder, plugin);
    this.#ring.follow((entry) => {
      this.#file?.write(entry);
      onEntry(entry);
    });
  }

  get book(): LogBook {
    return this.#ring;
  }

  plugin({ level, message, data }: LogEntry, call?: string, trace?: Trace): void {
    this.#ring.write({
      source: 'plugin',
      level,
      message,
      ...(data === undefined ? {} : { data }),
      ...(call === undefined ? {} : { call }),
      ...(trace === undefined ? {} : { trace: traceIdOf(trace) }),
    });
  }

  host({ level, message, data }: LogEntry): void {
    this.#ring.write({ source: 'host', level, message, ...(data === undefined ? {} : { data }) });
  }

  /** For the stderr of one process. */
  stderr(): (chunk: Buffer) => void {
    const splitter = lineSplitter((message) =>
      this.#ring.write({ source: 'stderr', level: 'info', message }),
    );
    return (chunk) => splitter.push(chunk);
  }

  trouble(trouble: PeerTrouble): void {
    this.#ring.write(describeTrouble(trouble));
  }

  state(state: string, reason: PluglotError | undefined): void {
    const level =
      state === 'failed' ? 'error' : state === 'unhealthy' || state === 'backoff' ? 'warn' : 'info';
    this.host({ level, message: reason === undefined ? state : `${state}: ${reason.message}` });
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
