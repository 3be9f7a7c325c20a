// Everything that is written to the log of one plugin, in one place: what it logs, what it prints, what happens to it. Masked before it is
// kept anywhere.
import type { PluglotError } from '../../../base/error.ts';
import type { Secrets, TextPart } from '../../../secrets/secrets.ts';
import { traceIdOf, type Trace } from '../../../base/trace.ts';
import type { PeerTrouble } from '../../../channel/peer/options.ts';
import type { LogEntry } from '../../../definition/tool.ts';
import { redactLog } from '../redact.ts';
import { lineSplitter, type LineSplitter } from './line-splitter.ts';
import { LogRing, MESSAGE_MAX, type KeptRecord, type LogBook, type LogRecord } from './log-book.ts';
import { logFile, type LogFile } from './log-file.ts';

export class PluginLog {
  readonly #ring = new LogRing();
  readonly #file: LogFile | undefined;
  readonly #secrets: Secrets;

  constructor(
    plugin: string,
    folder: string | undefined,
    secrets: Secrets,
    onEntry: (entry: KeptRecord) => void,
  ) {
    this.#secrets = secrets;
    this.#file = folder === undefined ? undefined : logFile(folder, plugin);
    this.#ring.follow((entry) => {
      this.#file?.write(entry);
      onEntry(entry);
    });
  }

  get book(): LogBook {
    return this.#ring;
  }

  /** Gives it as it may be shown. */
  plugin(entry: LogEntry, call?: string, trace?: Trace): LogEntry {
    const shown = redactLog(entry, this.#secrets);
    const { message } = entry;
    this.#ring.write({
      source: 'plugin',
      ...shown,
      // Of a long one, what was not guessed at must not move up to where it is kept.
      ...(message.length > LOOKED_AT && { message: this.#masked(message, 'piece') }),
      ...(call === undefined ? {} : { call }),
      ...(trace === undefined ? {} : { trace: traceIdOf(trace) }),
    });
    return shown;
  }

  host({ level, message, data }: LogEntry): void {
    this.#ring.write({ source: 'host', level, message, ...(data === undefined ? {} : { data }) });
  }

  /** For the stderr of one process. `end` is to be called, since the last line may have no end. */
  stderr(): LineSplitter {
    return lineSplitter((message, isPiece) =>
      this.#write({ source: 'stderr', level: 'info', message }, isPiece ? 'piece' : 'whole'),
    );
  }

  trouble(trouble: PeerTrouble): void {
    // Noise comes as it was read, and of what is too large only the beginning.
    const isPiece = trouble.kind === 'noise' || trouble.kind === 'oversize';
    this.#write(describeTrouble(trouble), isPiece ? 'piece' : 'whole');
  }

  state(state: string, reason: PluglotError | undefined): void {
    const level =
      state === 'failed' ? 'error' : state === 'unhealthy' || state === 'backoff' ? 'warn' : 'info';
    this.host({ level, message: reason === undefined ? state : `${state}: ${reason.message}` });
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #write(record: Omit<LogRecord, 'at'>, part: TextPart): void {
    this.#ring.write({ ...record, message: this.#masked(record.message, part) });
  }

  #masked(message: string, part: TextPart): string {
    if (message.length <= LOOKED_AT) return this.#secrets.mask(message, part);
    // The mark of what is cut, where so much is masked that it is short now.
    const shown = this.#secrets.mask(message.slice(0, LOOKED_AT), 'piece');
    return shown.length > MESSAGE_MAX ? shown : `${shown} …`;
  }
}

/** More than is kept, so that no secret is cut in half there. */
const LOOKED_AT = MESSAGE_MAX + 4096;

function describeTrouble(trouble: PeerTrouble): Omit<LogRecord, 'at'> {
  switch (trouble.kind) {
    case 'noise':
      return { source: 'stdout', level: 'info', message: trouble.text };
    case 'invalid':
      return { source: 'stdout', level: 'warn', message: `no message (${trouble.reason}): ${trouble.text}` };
    case 'oversize':
      return {
        source: 'host',
        level: 'warn',
        message: `a message of ${trouble.size} bytes is over the limit and was skipped; it begins with: ${trouble.head}`,
      };
    case 'torn':
      return {
        source: 'host',
        level: 'warn',
        message: `the output ended within a message, after ${trouble.size} bytes`,
      };
    case 'thrown':
      return { source: 'host', level: 'error', message: `${trouble.where} threw: ${trouble.error.message}` };
  }
}
