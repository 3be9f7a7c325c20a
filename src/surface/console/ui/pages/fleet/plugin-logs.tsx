// What a plugin logged and printed, as it comes; as many of the last as anybody reads.
import { useEffect, useRef, useState } from 'preact/hooks';
import { part } from '../../api/client.ts';
import type { LogRecord } from '../../api/types.ts';
import { clockTime } from '../../lib/format.ts';
import { visible } from '../../lib/visible.ts';
import { useHost } from '../../state/host-context.ts';
import { KeptLogs, type LogSource } from './kept-logs.ts';

const sources: readonly LogSource[] = ['all', 'stderr', 'stdout', 'plugin', 'host'];

export function PluginLogs({ name }: { readonly name: string }) {
  const host = useHost();
  const isOpen = host.connection.value === 'open';
  const [source, setSource] = useState<LogSource>('all');
  const [problem, setProblem] = useState<string>();
  const [, setVersion] = useState(0);
  const kept = useRef(new KeptLogs()).current;
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);

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
      .stream(`/plugins/${part(name)}/logs?since=0&follow=1`, {
        signal: stop.signal,
        onOpen: () => setProblem(undefined),
        onEvent: (event, data) => {
          if (event !== 'log') return;
          kept.add(data as LogRecord);
          draw();
        },
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      });
    return () => stop.abort();
  }, [host, kept, name, isOpen]);

  useEffect(() => {
    if (isAtEnd.current && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  });

  const entries = kept.of(source);
  return (
    <div class="logs">
      <div class="row log-filter" role="group" aria-label="Which entries">
        {sources.map((one) => (
          <button
            key={one}
            type="button"
            class="button plain"
            aria-pressed={one === source}
            onClick={() => setSource(one)}
          >
            {one}
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
          <p class="faint padded">Nothing yet. What it logs or prints appears here.</p>
        ) : null}
        {entries.map(({ key, record }) => (
          <div key={key} class={`log-line ${record.level}`}>
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
