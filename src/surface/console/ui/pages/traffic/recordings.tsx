// Recordings of the host: those that run, also those of other clients, and those that ended while this page was open.
import { useState } from 'preact/hooks';
import { segment } from '../../api/client.ts';
import type { RecordingView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Button, CopyButton, IconButton } from '../../parts/buttons.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Dialog, Select } from '../../parts/layout.tsx';
import { useHost, useRefreshed } from '../../state/host.ts';

export interface Recordings {
  readonly all: readonly ShownRecording[];
  start(plugin: string): Promise<boolean>;
  stop(id: string): Promise<boolean>;
  /** Hides one that has ended. */
  dismiss(id: string): void;
}

export interface ShownRecording extends RecordingView {
  readonly isOver: boolean;
}

/** The host sends no event when a recording grows. */
const REFRESH_MS = 2000;

export function useRecordings(): Recordings {
  const host = useHost();
  const [all, setAll] = useState<readonly ShownRecording[]>([]);
  const refresh = async () => {
    const { recordings } = await host.api.get('/recordings');
    setAll((before) => mergeRecordings(before, recordings));
  };
  useRefreshed(refresh, REFRESH_MS);
  return {
    all,
    start: (plugin) =>
      host.attempt(async () => {
        await host.api.send('POST', '/recordings', { plugin });
        await refresh();
      }, `Recording ${plugin}`),
    stop: (id) =>
      host.attempt(async () => {
        const ended = await host.api.send('DELETE', `/recordings/${segment(id)}`);
        setAll((before) => before.map((one) => (one.id === id ? { ...ended, isOver: true } : one)));
      }),
    dismiss: (id) => setAll((before) => before.filter((one) => one.id !== id)),
  };
}

const OVER_MAX = 10;

/** The running ones, then those that have ended, until the user dismisses them. */
export function mergeRecordings(
  before: readonly ShownRecording[],
  listed: readonly RecordingView[],
): readonly ShownRecording[] {
  const running = listed.map((one): ShownRecording => ({ ...one, isOver: false }));
  const ids = new Set(running.map(({ id }) => id));
  const over = before
    .filter(({ id }) => !ids.has(id))
    .map((one): ShownRecording => ({ ...one, isOver: true }));
  return [...running, ...over.slice(0, OVER_MAX)];
}

export function RecordingsStrip({ recordings }: { readonly recordings: Recordings }) {
  if (recordings.all.length === 0) return null;
  return (
    <ul class="recordings panel" aria-label="Recordings">
      {recordings.all.map(({ id, plugin, messages, file, isLive, isOver }) => (
        <li key={id}>
          <span class={`recording-state ${isOver ? 'is-over' : ''}`}>
            <Icon name={isOver ? 'check' : 'record'} />
            <strong>{plugin}</strong>
            <span class="faint number">{counted(messages, 'message')}</span>
            {isLive || isOver ? null : <span class="tag warn">begins with its next start</span>}
          </span>
          <span class="recording-file">
            <code title={file}>{file}</code>
            <CopyButton text={file} label="Copy path" />
          </span>
          {isOver ? (
            <IconButton
              icon="close"
              label={`Dismiss the recording of ${plugin}`}
              onClick={() => recordings.dismiss(id)}
            />
          ) : (
            <Button
              icon="stop"
              aria-label={`Stop recording ${plugin}`}
              onClick={() => void recordings.stop(id)}
            >
              Stop
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

interface RecordDialogProps {
  readonly recordings: Recordings;
  readonly onClose: () => void;
}

export function RecordDialog({ recordings, onClose }: RecordDialogProps) {
  const { plugins, traffic } = useHost();
  const names = plugins.value.filter(({ origin }) => origin === 'process').map(({ name }) => name);
  const [wanted, setWanted] = useState(traffic.filter.value.plugin);
  const chosen = names.includes(wanted) ? wanted : names[0];
  const begin = async () => {
    if (chosen !== undefined && (await recordings.start(chosen))) onClose();
  };
  return (
    <Dialog title="Record a plugin" name="traffic-dialog" onClose={onClose}>
      {chosen === undefined ? (
        <p class="soft">Only plugins in a process of their own can be recorded, and there is none.</p>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void begin();
          }}
        >
          <label class="stack tight-stack">
            <span class="field-name">Plugin</span>
            <Select
              value={chosen}
              autofocus
              options={names.map((name) => [name, name] as const)}
              onChange={setWanted}
            />
          </label>
          <p class="soft">
            Writes all messages between the host and {chosen} to a cassette in the state folder, with secrets
            masked, until you stop it. Play it with <code>pluglot replay FILE</code>.
          </p>
          <div>
            <Button type="submit" look="primary" icon="record">
              Start recording
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
