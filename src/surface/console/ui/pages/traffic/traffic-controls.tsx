// What can be done with the traffic: filter, hold up, clear, take away, record.
import { useEffect, useState } from 'preact/hooks';
import { part } from '../../api/client.ts';
import type { RecordingView } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';

export function TrafficFilters() {
  const { traffic, plugins } = useHost();
  const filter = traffic.filter.value;
  const names = plugins.value.map(({ name }) => name);
  return (
    <div class="filters">
      <SearchField
        value={filter.text}
        onChange={(text) => traffic.setFilter({ text })}
        label="Text in messages"
      />
      <input
        class="method-filter"
        type="search"
        aria-label="Method"
        placeholder="Method, or -method"
        autocomplete="off"
        spellcheck={false}
        value={filter.method}
        onInput={({ currentTarget }) => traffic.setFilter({ method: currentTarget.value })}
      />
      <select
        aria-label="Plugin"
        value={filter.plugin}
        onChange={({ currentTarget }) => traffic.setFilter({ plugin: currentTarget.value })}
      >
        <option value="">All plugins</option>
        {[...new Set([...names, ...(filter.plugin === '' ? [] : [filter.plugin])])].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Direction"
        value={filter.from}
        onChange={({ currentTarget: { value } }) =>
          traffic.setFilter({ from: value === 'host' || value === 'plugin' ? value : '' })
        }
      >
        <option value="">Both directions</option>
        <option value="host">→ from the host</option>
        <option value="plugin">← from plugins</option>
      </select>
    </div>
  );
}

export function TrafficControls({ onClear }: { readonly onClear: () => void }) {
  const { traffic } = useHost();
  const isPaused = traffic.isPaused.value;
  const { plugin } = traffic.filter.value;
  return (
    <>
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
      {plugin === '' ? (
        <button type="button" class="button" disabled title="Choose a plugin to export what is kept of it">
          <Icon name="download" />
          Export
        </button>
      ) : (
        <a
          class="button"
          download
          href={`/api/v1/traffic/cassette?plugin=${part(plugin)}`}
          title="Download what the host keeps as a cassette"
        >
          <Icon name="download" />
          Export
        </a>
      )}
      <RecordSwitch plugin={plugin} />
    </>
  );
}

function RecordSwitch({ plugin }: { readonly plugin: string }) {
  const host = useHost();
  const [recordings, setRecordings] = useState<readonly RecordingView[]>([]);
  const refresh = async () =>
    setRecordings((await host.api.get<{ recordings: RecordingView[] }>('/recordings')).recordings);
  useEffect(() => {
    refresh().catch(() => {});
  }, [host]);
  const mine = recordings.filter((recording) => plugin === '' || recording.plugin === plugin);
  const toggle = () =>
    host.attempt(
      async () => {
        if (mine.length > 0)
          for (const { id } of mine) await host.api.send('DELETE', `/recordings/${part(id)}`);
        else await host.api.send('POST', '/recordings', { plugin });
        await refresh();
      },
      mine.length > 0 ? `Recorded ${mine.map(({ file }) => file).join(', ')}` : `Recording ${plugin}`,
    );
  const isOff = plugin === '' && mine.length === 0;
  return (
    <button
      type="button"
      class="button record"
      aria-pressed={mine.length > 0}
      disabled={isOff}
      title={
        isOff
          ? 'Choose a plugin to record it to a cassette'
          : mine.length > 0
            ? 'Stop recording'
            : `Record ${plugin} to a cassette`
      }
      onClick={() => void toggle()}
    >
      <Icon name="record" />
      {mine.length > 0 ? 'Recording' : 'Record'}
    </button>
  );
}
