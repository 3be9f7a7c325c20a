// What a plugin logged and printed, as it comes; as many of the last as anybody reads.
import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime } from '../../lib/format.ts';
import { visible } from '../../lib/visible.ts';
import { logSources, type LogSource } from './kept-logs.ts';
import type { PluginLog } from './use-plugin-logs.ts';

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
      <div class="row log-filter" role="group" aria-label="Which entries">
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
          <p class="faint padded">Nothing yet. What it logs or prints appears here.</p>
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
