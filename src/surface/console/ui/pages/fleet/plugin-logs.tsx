// The log of one plugin, live.
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, segment } from '../../api/client.ts';
import type { LogRecord } from '../../api/types.ts';
import { clockTime } from '../../lib/format.ts';
import { visible } from '../../lib/text.ts';
import { useHost } from '../../state/host.ts';

export function PluginLogs({ name, log }: { readonly name: string; readonly log: PluginLog }) {
  const { kept, problem } = log;
  const [source, setSource] = useState<LogSource>('all');
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  });
  const entries = kept.of(source);
  return (
    <div class="logs">
      <div class="row log-filter" role="group" aria-label="Log source">
        {logSources.map(({ name: one, label, title }) => (
          <button
            key={one}
            type="button"
            class="button plain"
            aria-pressed={one === source}
            title={title}
            disabled={one !== 'all' && one !== source && !kept.has(one)}
            onClick={() => setSource(one)}
          >
            {label}
          </button>
        ))}
      </div>
      <div
        class="log-lines"
        role="log"
        aria-label={`Logs of ${name}`}
        tabIndex={0}
        ref={place}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
        }}
      >
        {problem === undefined ? null : <p class="soft padded">{problem}</p>}
        {entries.length === 0 && problem === undefined ? (
          <p class="faint padded">No log entries yet.</p>
        ) : null}
        {entries.map(({ key, record }) => (
          <div key={key} class={`log-line ${record.level} from-${record.source}`}>
            <time>{clockTime(record.at)}</time>
            <span class="log-source">{record.source}</span>
            <span class="log-level">{record.level}</span>
            <span class="log-message">
              {visible(record.message)}
              {record.data === undefined ? '' : ` ${JSON.stringify(record.data)}`}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

export interface PluginLog {
  readonly kept: KeptLogs;
  /** Why the log cannot be read. */
  readonly problem: string | undefined;
}

export function usePluginLogs(name: string): PluginLog {
  const host = useHost();
  const isOpen = host.connection.value === 'open';
  const [problem, setProblem] = useState<string>();
  const [, setVersion] = useState(0);
  const kept = useRef(new KeptLogs()).current;
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    let isDrawing = false;
    kept.clear();
    const draw = () => {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(() => {
        isDrawing = false;
        setVersion((version) => version + 1);
      });
    };
    host.api
      .stream(`/plugins/${segment(name)}/logs?since=0&follow=1`, {
        signal: stop.signal,
        onOpen: () => setProblem(undefined),
        onEvent: (event, data) => {
          if (event !== 'log') return;
          kept.add(data as LogRecord);
          draw();
        },
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setProblem(messageOf(error));
      });
    return () => stop.abort();
  }, [host, kept, name, isOpen]);
  return { kept, problem };
}

export type LogSource = 'all' | LogRecord['source'];

const logSources: readonly {
  readonly name: LogSource;
  readonly label: string;
  readonly title: string;
}[] = [
  { name: 'all', label: 'All', title: 'All entries, in order' },
  { name: 'stderr', label: 'stderr', title: 'Output of the process on stderr' },
  { name: 'stdout', label: 'stdout', title: 'Output on stdout between protocol messages' },
  { name: 'plugin', label: 'Logged', title: 'Entries that the plugin logged through its protocol' },
  { name: 'host', label: 'Host', title: 'Events of the plugin: start, exit, restart' },
];

export interface KeptLog {
  readonly key: number;
  readonly record: LogRecord;
}

const ENTRIES_KEPT = 2000;
const ENTRIES_SHOWN = 300;

export class KeptLogs {
  #entries: KeptLog[] = [];
  #next = 0;
  readonly #sources = new Set<LogSource>();

  add(record: LogRecord): void {
    this.#entries.push({ key: this.#next++, record });
    this.#sources.add(record.source);
    // Rarely, so that an entry costs little.
    if (this.#entries.length >= 2 * ENTRIES_KEPT) this.#entries = this.#entries.slice(-ENTRIES_KEPT);
  }

  /** Whether any entry came from this source. */
  has(source: LogSource): boolean {
    return this.#sources.has(source);
  }

  /** The last entries. */
  of(source: LogSource, limit = ENTRIES_SHOWN): KeptLog[] {
    const found: KeptLog[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && found.length < limit; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined && (source === 'all' || entry.record.source === source)) found.push(entry);
    }
    return found.reverse();
  }

  /** The last lines on stderr, of the latest start that printed any. */
  printedLast(limit: number): LogRecord[] {
    const printed: LogRecord[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && printed.length < limit; index--) {
      const record = this.#entries[index]?.record;
      if (record?.source === 'host' && record.message === 'starting' && printed.length > 0) break;
      if (record?.source === 'stderr') printed.push(record);
    }
    return printed.reverse();
  }

  clear(): void {
    this.#entries = [];
    this.#sources.clear();
  }
}
