// Recordings that go on, and where those are that ended.
import { counted } from '../../lib/format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { HeldRecording } from './followed-recordings.ts';
import type { RecordingsHeld } from './use-recordings.ts';

export function RecordingsStrip({ recordings }: { readonly recordings: RecordingsHeld }) {
  if (recordings.all.length === 0) return null;
  return (
    <ul class="recordings panel" aria-label="Recordings">
      {recordings.all.map((one) => (
        <li key={one.id}>
          <Recording one={one} recordings={recordings} />
        </li>
      ))}
    </ul>
  );
}

function Recording({
  one,
  recordings,
}: {
  readonly one: HeldRecording;
  readonly recordings: RecordingsHeld;
}) {
  return (
    <>
      <span class={`recording-state ${one.isOver ? 'is-over' : ''}`}>
        <Icon name={one.isOver ? 'check' : 'record'} />
        <strong>{one.plugin}</strong>
        <span class="faint number">{counted(one.messages, 'message')}</span>
        {one.isLive || one.isOver ? null : <span class="tag warn">from its next start on</span>}
      </span>
      <span class="recording-file">
        <code title={one.file}>{one.file}</code>
        <CopyButton text={one.file} label="Copy the path" />
      </span>
      {one.isOver ? (
        <button
          type="button"
          class="button plain icon-only"
          aria-label={`Dismiss the recording of ${one.plugin}`}
          onClick={() => recordings.dismiss(one.id)}
        >
          <Icon name="close" />
        </button>
      ) : (
        <button
          type="button"
          class="button"
          aria-label={`Stop recording ${one.plugin}`}
          onClick={() => void recordings.stop(one.id)}
        >
          <Icon name="stop" /> Stop
        </button>
      )}
    </>
  );
}
