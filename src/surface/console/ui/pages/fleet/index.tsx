// Fleet: every plugin with its state and numbers, and what can be done about it.
import { useRef, useState } from 'preact/hooks';
import { readyCount } from '../../../../../base/describe.ts';
import type { PluginView } from '../../api/types.ts';
import { counted, grouped, longDuration, shortLatency } from '../../lib/format.ts';
import { matching } from '../../lib/text.ts';
import { Command } from '../../parts/buttons.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, SearchField } from '../../parts/layout.tsx';
import { Spark, StateMark } from '../../parts/plugin-marks.tsx';
import { linkTo } from '../../state/address.ts';
import { useHost, useRefreshed } from '../../state/host.ts';
import { backTo, usePageKeys } from '../../state/page-keys.ts';
import { PageFrame, type Page } from '../page.tsx';
import { commandInHint, displayState, problemOf, StableOrder, stateAge } from './facts.ts';
import { PluginActions } from './plugin-actions.tsx';
import { PluginDetailView } from './plugin-detail.tsx';
import './fleet.css';

export const fleet: Page = { path: 'fleet', title: 'Fleet', icon: 'fleet', key: 'f', View: Fleet };

/** The host sends no event when only the number of calls changes. */
const REFRESH_MS = 2000;

function Fleet() {
  const host = useHost();
  const [query, setQuery] = useState('');
  const order = useRef(new StableOrder()).current;
  const [chosen] = host.route.value.rest;
  useRefreshed(() => host.refreshPlugins(), REFRESH_MS);
  usePageKeys((key) =>
    key === 'Escape' && chosen !== undefined ? backTo(linkTo('fleet'), linkTo('fleet', chosen)) : false,
  );
  const all = order.of(host.plugins.value);
  const plugins = matching(all, query, ({ name, dialect, state, origin }) => ({
    name,
    description: `${dialect} ${state} ${origin}`,
  }));
  return (
    <PageFrame
      title="Fleet"
      sub={all.length === 0 ? undefined : readyText(all)}
      controls={<SearchField value={query} onChange={setQuery} label="Search plugins" />}
      isFixed
    >
      <div class={`fleet ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="fleet-list">
          <Problems />
          {all.length === 0 && host.connection.value === 'open' ? (
            <Empty icon="fleet" title="No plugins yet">
              <p>
                Add one with <code>pluglot add NAME -- COMMAND</code> or in <code>pluglot.json</code>. It
                appears here by itself.
              </p>
            </Empty>
          ) : (
            <PluginTable plugins={plugins} chosen={chosen} />
          )}
          {plugins.length === 0 && query !== '' ? <p class="soft">No plugin matches the search.</p> : null}
        </div>
        {chosen === undefined ? null : <PluginDetailView key={chosen} name={chosen} />}
      </div>
    </PageFrame>
  );
}

/** The same count as in the terminal. */
function readyText(plugins: readonly PluginView[]): string {
  const { ready, total, later } = readyCount(plugins);
  const lazy = later === 0 ? [] : [`${later} ${later === 1 ? 'starts' : 'start'} when used`];
  const started = total === 0 && later > 0 ? [] : [`${ready} of ${counted(total, 'plugin')} ready`];
  return [...started, ...lazy].join(' · ');
}

const PROBLEMS_SHOWN = 20;

function Problems() {
  const problems = useHost().problems.value;
  if (problems.length === 0) return null;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return (
    <details class={`callout ${hasErrors ? 'bad' : 'warn'}`} open={problems.length <= 3}>
      <summary>
        <Icon name="warning" /> {counted(problems.length, 'problem')} in the configuration
      </summary>
      <ul class="stack">
        {problems.slice(0, PROBLEMS_SHOWN).map(({ file, line, reason, wayOut, plugin }, index) => {
          const command = commandInHint(wayOut);
          return (
            <li key={index} class="problem">
              <code>
                {file}
                {line === undefined ? '' : `:${line}`}
              </code>
              <span>
                {plugin === undefined ? '' : `${plugin}: `}
                {reason}. <span class="soft">{wayOut}</span>
              </span>
              {command === undefined ? null : <Command text={command} />}
            </li>
          );
        })}
        {problems.length > PROBLEMS_SHOWN ? (
          <li class="soft">
            … and {problems.length - PROBLEMS_SHOWN} more: `pluglot doctor` lists all of them.
          </li>
        ) : null}
      </ul>
    </details>
  );
}

const columns = [
  ['plugin', 'Plugin'],
  ['state', 'State'],
  ['restarts', 'Restarts'],
  ['calls', 'Calls'],
  ['latency', 'p50 / p99'],
  ['last', 'Last minute'],
  ['actions', 'Actions'],
] as const;

interface TableProps {
  readonly plugins: readonly PluginView[];
  readonly chosen: string | undefined;
}

function PluginTable({ plugins, chosen }: TableProps) {
  return (
    <div class="panel plugins" role="table" aria-label="Plugins">
      <div role="rowgroup" class="plugins-head">
        <div class="plugin-row head-row" role="row">
          {columns.map(([name, title]) => (
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

/** A row of the table; on a narrow page two lines with units, since there is no head above them. */
function PluginRow({ plugin, isChosen }: { readonly plugin: PluginView; readonly isChosen: boolean }) {
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
          {plugin.sandbox === undefined ? null : <span class="tag">sandboxed</span>}
          {plugin.lazy === true ? <span class="faint small">starts when used</span> : null}
        </span>
      </div>
      <div class="cell-state" role="cell">
        <StateMark state={displayState(plugin)} />
        <StateNote plugin={plugin} />
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
          {stats.running > 0 ? <span class="soft small">{grouped(stats.running)} running</span> : null}
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

/** The problem, or else how long the plugin has been in its state. */
function StateNote({ plugin }: { readonly plugin: PluginView }) {
  const age = stateAge(plugin, useHost().now.value);
  const problem = problemOf(plugin);
  return (
    <span class="faint small number" title={problem}>
      {problem ?? (age === undefined ? '' : longDuration(age))}
    </span>
  );
}
