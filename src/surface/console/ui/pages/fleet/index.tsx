// Fleet: every plugin, how it is, and what can be done about it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { readyCount } from '../../../../../base/ready-count.ts';
import type { Page } from '../page.ts';
import type { PluginView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { found } from '../../lib/search.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';
import { backTo, usePageKeys } from '../../state/page-keys.ts';
import { linkTo } from '../../state/route.ts';
import { PluginDetailView } from './plugin-detail.tsx';
import { columns, PluginRow } from './plugin-row.tsx';
import { Problems } from './problems.tsx';
import { StableOrder } from './stable-order.ts';
import './fleet.css';

export const fleet: Page = { path: 'fleet', title: 'Fleet', icon: 'fleet', key: 'f', View: Fleet };

/** Numbers of calls change without an event. */
const REFRESH_MS = 2000;

function Fleet() {
  const host = useHost();
  const [query, setQuery] = useState('');
  const order = useRef(new StableOrder()).current;
  const [chosen] = host.route.value.rest;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && host.connection.value === 'open') host.refreshPlugins().catch(() => {});
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [host]);
  usePageKeys((key) =>
    key === 'Escape' && chosen !== undefined ? backTo(linkTo('fleet'), linkTo('fleet', chosen)) : false,
  );
  const all = order.of(host.plugins.value);
  const plugins = found(all, query, ({ name, dialect, state, origin }) => ({
    name,
    description: `${dialect} ${state} ${origin}`,
  }));
  return (
    <PageFrame
      title="Fleet"
      sub={all.length === 0 ? undefined : countWords(all)}
      controls={<SearchField value={query} onChange={setQuery} label="Search plugins" />}
      isFixed
    >
      <div class={`fleet ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="fleet-list">
          <Problems />
          {all.length === 0 && host.connection.value === 'open' ? (
            <Empty icon="fleet" title="No plugins yet">
              <p>
                Add one with <code>pluglot add NAME -- COMMAND</code>, or put it into{' '}
                <code>pluglot.json</code>. It appears here by itself.
              </p>
            </Empty>
          ) : (
            <PluginTable plugins={plugins} chosen={chosen} />
          )}
          {plugins.length === 0 && query !== '' ? <p class="soft">No plugin has these words.</p> : null}
        </div>
        {chosen === undefined ? null : <PluginDetailView key={chosen} name={chosen} />}
      </div>
    </PageFrame>
  );
}

function PluginTable({
  plugins,
  chosen,
}: {
  readonly plugins: readonly PluginView[];
  readonly chosen: string | undefined;
}) {
  return (
    <div class="panel plugins" role="table" aria-label="Plugins">
      <div role="rowgroup" class="plugins-head">
        <div class="plugin-row head-row" role="row">
          {columns.map(({ name, title }) => (
            <span key={name} role="columnheader" class={`cell-${name}`}>
              {name === 'actions' ? <span class="unseen">{title}</span> : title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup">
        {plugins.map((plugin) => (
          <PluginRow key={plugin.name} plugin={plugin} isChosen={plugin.name === chosen} />
        ))}
      </div>
    </div>
  );
}

/** As the terminal counts them. */
function countWords(plugins: readonly PluginView[]): string {
  const { ready, total, later } = readyCount(plugins);
  const rest = later === 0 ? '' : ` · ${later} ${later === 1 ? 'starts' : 'start'} when used`;
  return total === 0 && later > 0
    ? `${later} ${later === 1 ? 'starts' : 'start'} when used`
    : `${ready} of ${counted(total, 'plugin')} ready${rest}`;
}
