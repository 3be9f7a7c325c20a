// One plugin in the list.
import type { PluginView } from '../../api/types.ts';
import { grouped, longDuration, shortLatency } from '../../lib/format.ts';
import { Spark } from '../../parts/spark.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { PluginActions } from './plugin-actions.tsx';
import { shownState, stateAge } from './facts.ts';

export function PluginRow({ plugin, isChosen }: { readonly plugin: PluginView; readonly isChosen: boolean }) {
  const { stats } = plugin;
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
          <span class="tag mono">{plugin.dialect ?? '?'}</span>
          <span class="faint origin">{plugin.origin}</span>
        </span>
      </div>
      <div class="cell-state" role="cell">
        <StateMark state={shownState(plugin)} />
        <Age plugin={plugin} />
      </div>
      <div class="cell-restarts number" role="cell">
        {plugin.restarts === 0 ? <span class="faint">0</span> : plugin.restarts}
      </div>
      <div class="cell-calls number" role="cell">
        {grouped(stats.calls)}
        {stats.failures > 0 ? <span class="bad-text small">{grouped(stats.failures)} failed</span> : null}
        {stats.running > 0 ? <span class="soft small">{stats.running} running</span> : null}
      </div>
      <div class="cell-p50 number" role="cell">
        {shortLatency(stats.p50Ms)}
        <span class="faint small">{shortLatency(stats.p99Ms)}</span>
      </div>
      <div class="cell-last" role="cell">
        <Spark values={stats.perSecond} />
      </div>
      <div class="cell-actions" role="cell">
        <PluginActions plugin={plugin} isSmall />
      </div>
    </div>
  );
}

function Age({ plugin }: { readonly plugin: PluginView }) {
  const { now } = useHost();
  const age = stateAge(plugin, now.value);
  const { reason } = plugin;
  return (
    <span class="faint small number" title={reason}>
      {reason !== undefined && plugin.state !== 'ready' ? reason : longDuration(age)}
    </span>
  );
}
