// The log of one plugin as it comes, for all who show something of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { part, wordsOf } from '../../api/client.ts';
import type { LogRecord } from '../../api/types.ts';
import { useHost } from '../../state/host-context.ts';
import { KeptLogs } from './kept-logs.ts';

export interface PluginLog {
  readonly kept: KeptLogs;
  /** Why it cannot be read. */
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
        if (!stop.signal.aborted) setProblem(wordsOf(error));
      });
    return () => stop.abort();
  }, [host, kept, name, isOpen]);
  return { kept, problem };
}
