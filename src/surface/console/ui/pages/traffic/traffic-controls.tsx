// What can be done with the traffic: hold it up, clear it, take it away, record it.
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import { ExportDialog } from './export-dialog.tsx';
import { RecordDialog } from './record-dialog.tsx';
import type { RecordingsHeld } from './use-recordings.ts';

export function TrafficControls({
  recordings,
  onClear,
}: {
  readonly recordings: RecordingsHeld;
  readonly onClear: () => void;
}) {
  const { traffic } = useHost();
  const [open, setOpen] = useState<'export' | 'record'>();
  const isPaused = traffic.isPaused.value;
  const close = () => setOpen(undefined);
  return (
    <div class="traffic-controls">
      <button
        type="button"
        class="button"
        aria-pressed={isPaused}
        title="Pause (p)"
        onClick={() => traffic.pause(!isPaused)}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
        {isPaused ? 'Go on' : 'Pause'}
      </button>
      <button
        type="button"
        class="button"
        title="Clear (x)"
        onClick={() => {
          traffic.clear();
          onClear();
        }}
      >
        <Icon name="bin" />
        Clear
      </button>
      <button type="button" class="button" title="Take what is shown away" onClick={() => setOpen('export')}>
        <Icon name="download" />
        Export
      </button>
      <button
        type="button"
        class="button"
        title="Record a plugin to a cassette"
        onClick={() => setOpen('record')}
      >
        <Icon name="record" />
        Record
      </button>
      {open === 'export' ? <ExportDialog onClose={close} /> : null}
      {open === 'record' ? <RecordDialog recordings={recordings} onClose={close} /> : null}
    </div>
  );
}
