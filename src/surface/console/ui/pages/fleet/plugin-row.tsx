// One plugin in the list: a row of a table, and where that is too narrow two lines with the same in them.
import type { PluginView } from '../../api/types.ts';
import { counted, grouped, longDuration, shortLatency } from '../../lib/format.ts';
import { Spark } from '../../parts/spark.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { shownState, stateAge, troubleOf } from './facts.ts';
import { PluginActions } from './plugin-actions.tsx';

/** With what it is called where no head stands above it. */
export const columns = [
  { name: 'plugin', title: 'Plugin' },
  { name: 'state', title: 'State' },
  { name: 'restarts', title: 'Restarts' },
  { name: 'calls', title: 'Calls' },
  { name: 'latency', title: 'p50 / p99' },
  { name: 'last', title: 'Last minute' },
  { name: 'actions', title: 'Actions' },
] as const;

export function PluginRow({ plugin, isChosen }: { readonly plugin: PluginView; readonly isChosen: boolean }) {
  const { stats, restarts } = plugin;
  return (
    <div class={`plugin-row ${isChosen ? 'is-chosen' : ''}`} role="row">
      <div class="cell-plugin" role="cell">
        <a
          class="stretched"
          data-row
          href={linkTo('fleet', plugin.name)}
          aria-current={isChosen ? 'true' : undefined}
        >
          {plugin.name}
        </a>
        <span class="row tight">
          <span class="tag mono">{plugin.origin === 'built-in' ? 'built-in' : plugin.dialect}</span>
          {plugin.sandbox === undefined ? null : <span class="tag">confined</span>}
          {plugin.lazy === true ? <span class="faint small">starts when used</span> : null}
        </span>
      </div>
      <div class="cell-state" role="cell">
        <StateMark state={shownState(plugin)} />
        <Age plugin={plugin} />
      </div>
      <div class="cell-numbers" role="presentation">
        <div class={`cell-restarts number ${restarts === 0 ? 'is-none' : ''}`} role="cell">
          {grouped(restarts)}
          <span class="unit"> {restarts === 1 ? 'restart' : 'restarts'}</span>
        </div>
        <div class="cell-calls number" role="cell">
          <span>
            {grouped(stats.calls)}
            <span class="unit"> {stats.calls === 1 ? 'call' : 'calls'}</span>
          </span>
          {stats.failures > 0 ? <span class="bad-text small">{grouped(stats.failures)} failed</span> : null}
          {stats.running > 0 ? (
            <span class="soft small">{counted(stats.running, 'running', 'running')}</span>
          ) : null}
        </div>
        <div class={`cell-latency number ${stats.calls === 0 ? 'is-none' : ''}`} role="cell">
          <span>
            <span class="unit">p50 </span>
            {shortLatency(stats.p50Ms)}
          </span>
          <span class="faint small">
            <span class="unit">p99 </span>
            {shortLatency(stats.p99Ms)}
          </span>
        </div>
        <div class="cell-last" role="cell">
          <Spark values={stats.perSecond} />
        </div>
      </div>
      <div class="cell-actions" role="cell">
        <PluginActions plugin={plugin} isSmall />
      </div>
    </div>
  );
}

function Age({ plugin }: { readonly plugin: PluginView }) {
  const age = stateAge(plugin, useHost().now.value);
  const trouble = troubleOf(plugin);
  return (
    <span class="faint small number" title={trouble}>
      {trouble ?? (age === undefined ? '' : longDuration(age))}
    </span>
  );
}
