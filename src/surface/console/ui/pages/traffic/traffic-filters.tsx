// What of the traffic is shown.
import { grouped } from '../../lib/format.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';
import { isFiltering } from './traffic-view.ts';

export function TrafficFilters() {
  const { traffic, plugins } = useHost();
  const filter = traffic.filter.value;
  const names = plugins.value.filter(({ origin }) => origin === 'process').map(({ name }) => name);
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
        placeholder="Method"
        title="A part of the method; with a minus before it, what is left out"
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
        <option value="">Both ways</option>
        <option value="host">→ to plugins</option>
        <option value="plugin">← from plugins</option>
      </select>
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
    <button
      type="button"
      class="button"
      aria-pressed={filter.pings}
      title={
        filter.pings
          ? 'Pings are shown: the questions whether a plugin is still there'
          : 'Pings are hidden: the questions whether a plugin is still there'
      }
      onClick={() => traffic.setFilter({ pings: !filter.pings })}
    >
      Pings {hidden === 0 ? null : <span class="faint small number">{grouped(hidden)} hidden</span>}
    </button>
  );
}
