// Recordings that go on at the host, whoever began them, and those that ended while this page looked.
import { useEffect, useState } from 'preact/hooks';
import { part } from '../../api/client.ts';
import type { RecordingView } from '../../api/types.ts';
import { useHost } from '../../state/host-context.ts';
import { followed, type HeldRecording } from './followed-recordings.ts';

export interface RecordingsHeld {
  readonly all: readonly HeldRecording[];
  start(plugin: string): Promise<boolean>;
  stop(id: string): Promise<boolean>;
  /** Of one that has ended. */
  dismiss(id: string): void;
}

/** How many messages there are changes without an event. */
const REFRESH_MS = 2000;

export function useRecordings(): RecordingsHeld {
  const host = useHost();
  const [all, setAll] = useState<readonly HeldRecording[]>([]);
  const isOpen = host.connection.value === 'open';
  const refresh = async () => {
    const { recordings } = await host.api.get<{ recordings: RecordingView[] }>('/recordings');
    setAll((before) => followed(before, recordings));
  };
  useEffect(() => {
    if (!isOpen) return;
    const quietly = () => {
      if (!document.hidden) refresh().catch(() => {});
    };
    quietly();
    const timer = setInterval(quietly, REFRESH_MS);
    return () => clearInterval(timer);
  }, [host, isOpen]);
  return {
    all,
    start: (plugin) =>
      host.attempt(async () => {
        await host.api.send('POST', '/recordings', { plugin });
        await refresh();
      }, `Recording ${plugin}`),
    stop: (id) =>
      host.attempt(async () => {
        const ended = await host.api.send<RecordingView>('DELETE', `/recordings/${part(id)}`);
        setAll((before) => before.map((one) => (one.id === id ? { ...ended, isOver: true } : one)));
      }),
    dismiss: (id) => setAll((before) => before.filter((one) => one.id !== id)),
  };
}
