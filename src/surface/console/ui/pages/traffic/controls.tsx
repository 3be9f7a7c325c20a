// The buttons and filters of the traffic page.
import { useState } from 'preact/hooks';
import { grouped } from '../../lib/format.ts';
import { Button } from '../../parts/buttons.tsx';
import { SearchField, Select } from '../../parts/layout.tsx';
import { useHost } from '../../state/host.ts';
import { ExportDialog } from './export-dialog.tsx';
import { RecordDialog, type Recordings } from './recordings.tsx';
import { isFiltering } from './traffic-view.ts';

interface ControlsProps {
  readonly recordings: Recordings;
  readonly onClear: () => void;
}

export function TrafficControls({ recordings, onClear }: ControlsProps) {
  const { traffic } = useHost();
  const [open, setOpen] = useState<'export' | 'record'>();
  const isPaused = traffic.isPaused.value;
  const close = () => setOpen(undefined);
  const clear = () => {
    traffic.clear();
    onClear();
  };
  return (
    <div class="traffic-controls">
      <Button
        icon={isPaused ? 'play' : 'pause'}
        aria-pressed={isPaused}
        title="Pause (p)"
        onClick={() => traffic.pause(!isPaused)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button icon="bin" title="Clear (x)" onClick={clear}>
        Clear
      </Button>
      <Button icon="download" title="Export the messages that are shown" onClick={() => setOpen('export')}>
        Export
      </Button>
      <Button icon="record" title="Record a plugin to a cassette" onClick={() => setOpen('record')}>
        Record
      </Button>
      {open === 'export' ? <ExportDialog onClose={close} /> : null}
      {open === 'record' ? <RecordDialog recordings={recordings} onClose={close} /> : null}
    </div>
  );
}

export function TrafficFilters() {
  const { traffic, plugins } = useHost();
  const { text, method, plugin, from } = traffic.filter.value;
  const names = plugins.value.filter(({ origin }) => origin === 'process').map(({ name }) => name);
  const choices = [...new Set([...names, ...(plugin === '' ? [] : [plugin])])];
  return (
    <div class="filters">
      <SearchField
        value={text}
        onChange={(next) => traffic.setFilter({ text: next })}
        label="Text in messages"
      />
      <input
        class="method-filter"
        type="search"
        aria-label="Method"
        placeholder="Method"
        title="Part of the method; a leading minus excludes it"
        autocomplete="off"
        spellcheck={false}
        value={method}
        onInput={({ currentTarget }) => traffic.setFilter({ method: currentTarget.value })}
      />
      <Select
        label="Plugin"
        value={plugin}
        options={[['', 'All plugins'], ...choices.map((name) => [name, name] as const)]}
        onChange={(next) => traffic.setFilter({ plugin: next })}
      />
      <Select
        label="Direction"
        value={from}
        options={[
          ['', 'Both directions'],
          ['host', '→ to plugins'],
          ['plugin', '← from plugins'],
        ]}
        onChange={(next) => traffic.setFilter({ from: next === 'host' || next === 'plugin' ? next : '' })}
      />
      <Pings />
    </div>
  );
}

function Pings() {
  const { traffic } = useHost();
  void traffic.version.value;
  const filter = traffic.filter.value;
  const hidden = isFiltering(filter) || !traffic.view.isComplete ? 0 : traffic.size - traffic.view.count;
  return (
    <Button
      aria-pressed={filter.pings}
      title={`Health checks of plugins are ${filter.pings ? 'shown' : 'hidden'}`}
      onClick={() => traffic.setFilter({ pings: !filter.pings })}
    >
      Pings {hidden === 0 ? null : <span class="faint small number">{grouped(hidden)} hidden</span>}
    </Button>
  );
}
