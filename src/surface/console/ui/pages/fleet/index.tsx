// Fleet: every plugin, how it is, and what can be done about it.
import { useEffect } from 'preact/hooks';
import type { Page } from '../page.ts';
import { counted } from '../../lib/format.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { usePageKeys } from '../../state/page-keys.ts';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { inOrderOfNeed } from './facts.ts';
import { PluginDetailView } from './plugin-detail.tsx';
import { PluginRow } from './plugin-row.tsx';
import { Problems } from './problems.tsx';
import './fleet.css';

export const fleet: Page = { path: 'fleet', title: 'Fleet', icon: 'fleet', key: 'f', View: Fleet };

/** Numbers of calls change without an event. */
const REFRESH_MS = 2000;

function Fleet() {
  const host = useHost();
  const [chosen] = host.route.value.rest;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && host.connection.value === 'open') host.refreshPlugins().catch(() => {});
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [host]);
  usePageKeys((key) => {
    if (key !== 'Escape' || chosen === undefined) return false;
    location.hash = linkTo('fleet');
    return true;
  });
  const plugins = inOrderOfNeed(host.plugins.value);
  const ready = plugins.filter(({ state }) => state === 'ready' || state === 'busy').length;
  return (
    <PageFrame
      title="Fleet"
      sub={plugins.length === 0 ? undefined : `${ready} of ${counted(plugins.length, 'plugin')} ready`}
      isFixed
    >
      <div class={`fleet ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="fleet-list stack">
          <Problems />
          {plugins.length === 0 && host.connection.value === 'open' ? (
            <Empty icon="fleet" title="No plugins yet">
              <p>
                Add one with <code>pluglot add NAME -- COMMAND</code>, or put it into{' '}
                <code>pluglot.json</code>. It appears here by itself.
              </p>
            </Empty>
          ) : (
            <div class="panel plugins" role="table" aria-label="Plugins">
              <div role="rowgroup">
                <div class="plugin-row head-row" role="row">
                  {['Plugin', 'State', 'Restarts', 'Calls', 'p50 / p99', 'Last minute', 'Actions'].map(
                    (name) => (
                      <span
                        key={name}
                        role="columnheader"
                        class={`cell-${name.split(' ')[0]?.toLowerCase()}`}
                      >
                        {name === 'Actions' ? <span class="unseen">{name}</span> : name}
                      </span>
                    ),
                  )}
                </div>
              </div>
              <div role="rowgroup">
                {plugins.map((plugin) => (
                  <PluginRow key={plugin.name} plugin={plugin} isChosen={plugin.name === chosen} />
                ))}
              </div>
            </div>
          )}
        </div>
        {chosen === undefined ? null : <PluginDetailView key={chosen} name={chosen} />}
      </div>
    </PageFrame>
  );
}
