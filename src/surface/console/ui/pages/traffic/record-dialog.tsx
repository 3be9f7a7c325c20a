// Begins a recording: of which plugin, and what becomes of it.
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import type { RecordingsHeld } from './use-recordings.ts';

export function RecordDialog({
  recordings,
  onClose,
}: {
  readonly recordings: RecordingsHeld;
  readonly onClose: () => void;
}) {
  const { plugins, traffic } = useHost();
  const names = plugins.value.filter(({ origin }) => origin === 'process').map(({ name }) => name);
  const [wish, setWish] = useState(traffic.filter.value.plugin);
  const chosen = names.includes(wish) ? wish : names[0];
  const begin = async () => {
    if (chosen !== undefined && (await recordings.start(chosen))) onClose();
  };
  return (
    <Dialog title="Record a plugin" name="traffic-dialog" onClose={onClose}>
      {chosen === undefined ? (
        <p class="soft">There is no plugin with a process, and so no wire to record.</p>
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
            <select value={chosen} autofocus onChange={({ currentTarget }) => setWish(currentTarget.value)}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <p class="soft">
            From now on everything between the host and {chosen} is written to a cassette in the state folder,
            with secrets masked, until somebody stops it. <code>pluglot replay FILE</code> plays it again.
          </p>
          <div>
            <button type="submit" class="button primary">
              <Icon name="record" /> Start recording
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
