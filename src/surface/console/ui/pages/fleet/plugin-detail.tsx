// One plugin: what is wrong with it, what it says, what it offers.
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import { part } from '../../api/client.ts';
import type { PluginDetails, PluginView } from '../../api/types.ts';
import { grouped, longDuration, shortLatency } from '../../lib/format.ts';
import { Command, CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { commandIn, shownState, stateAge } from './facts.ts';
import { PluginActions } from './plugin-actions.tsx';
import { PluginLogs } from './plugin-logs.tsx';

type TabName = 'logs' | 'tools' | 'about';

export function PluginDetailView({ name }: { readonly name: string }) {
  const host = useHost();
  const [tab, setTab] = useState<TabName>('logs');
  const plugin = host.plugins.value.find((one) => one.name === name);
  return (
    <section class="fleet-detail panel" aria-label={`Plugin ${name}`}>
      <div class="stack detail-head">
        <div class="row">
          <a class="button plain icon-only" href={linkTo('fleet')} aria-label="Close" title="Close (Esc)">
            <Icon name="close" />
          </a>
          <h2>{name}</h2>
          {plugin === undefined ? null : (
            <>
              <StateMark state={shownState(plugin)} />
              <span class="push">
                <PluginActions plugin={plugin} />
              </span>
            </>
          )}
        </div>
        {plugin === undefined ? (
          <p class="soft">
            {host.connection.value === 'open' ? 'There is no plugin of this name any more.' : 'Loading …'}
          </p>
        ) : (
          <>
            <Trouble plugin={plugin} />
            <Facts plugin={plugin} />
          </>
        )}
      </div>
      <Tabs
        id="plugin"
        label="Of this plugin"
        tabs={[
          { name: 'logs', label: 'Logs' },
          { name: 'tools', label: 'Tools' },
          { name: 'about', label: 'About' },
        ]}
        chosen={tab}
        onChoose={setTab}
      />
      <div class="detail-body">
        {tab === 'logs' ? (
          <PluginLogs name={name} />
        ) : tab === 'tools' ? (
          <ToolList plugin={name} />
        ) : (
          <About name={name} />
        )}
      </div>
    </section>
  );
}

function Trouble({ plugin }: { readonly plugin: PluginView }) {
  const { untrusted, reason } = plugin;
  if (untrusted !== undefined)
    return (
      <div class="callout warn">
        <h3>
          <Icon name="lock" /> Not run until you trust it
        </h3>
        <p>{untrusted.reason}</p>
        <WayOut text={untrusted.wayOut} />
      </div>
    );
  if (reason === undefined || plugin.state === 'ready' || plugin.state === 'busy') return null;
  const isBad = plugin.state === 'failed';
  return (
    <div class={`callout ${isBad ? 'bad' : 'warn'}`}>
      <h3>
        <Icon name="warning" /> What happened
      </h3>
      <pre>{reason}</pre>
      {isBad ? <Command text="pluglot doctor" /> : null}
    </div>
  );
}

/** What to do: the command to paste, or the sentence where there is none. */
function WayOut({ text }: { readonly text: string }) {
  const command = commandIn(text);
  return command === undefined ? <p>{text}</p> : <Command text={command} />;
}

function Facts({ plugin }: { readonly plugin: PluginView }) {
  const host = useHost();
  const { stats } = plugin;
  const age = stateAge(plugin, host.now.value);
  return (
    <dl class="facts">
      <dt>Dialect</dt>
      <dd>
        {plugin.dialect ?? 'not known yet'} <span class="faint">· {plugin.origin}</span>
      </dd>
      {plugin.command === '' ? null : (
        <>
          <dt>Command</dt>
          <dd class="row tight nowrap">
            <code>{plugin.command}</code>
            <CopyButton text={plugin.command} />
          </dd>
        </>
      )}
      {plugin.from === undefined ? null : (
        <>
          <dt>Found in</dt>
          <dd>
            <code>{plugin.from}</code>
          </dd>
        </>
      )}
      <dt>Since</dt>
      <dd class="number">
        {longDuration(age)}
        {plugin.restarts > 0 ? <span class="faint"> · {plugin.restarts} restarts</span> : null}
        {plugin.pids.length > 0 ? <span class="faint"> · process {plugin.pids.join(', ')}</span> : null}
      </dd>
      <dt>Calls</dt>
      <dd class="number">
        {grouped(stats.calls)}
        <span class="faint">
          {' '}
          · {stats.failures} failed · {stats.running} running · {stats.waiting} waiting · p50{' '}
          {shortLatency(stats.p50Ms)} · p99 {shortLatency(stats.p99Ms)}
        </span>
      </dd>
    </dl>
  );
}

function ToolList({ plugin }: { readonly plugin: string }) {
  const tools = useHost().tools.value.filter((tool) => tool.plugin === plugin);
  if (tools.length === 0)
    return <p class="soft padded">It offers no tools, or none is exposed while it is not ready.</p>;
  return (
    <ul class="plain-list">
      {tools.slice(0, 300).map(({ name, tool, enabled }) => (
        <li key={name}>
          <a data-row href={linkTo('tools', name)}>
            {name}
          </a>
          {enabled ? null : <span class="tag">off</span>}
          <span class="soft line">{tool.description}</span>
        </li>
      ))}
    </ul>
  );
}

function About({ name }: { readonly name: string }) {
  const host = useHost();
  const [detail, setDetail] = useState<PluginDetails>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    host.api.get<PluginDetails>(`/plugins/${part(name)}`, stop.signal).then(setDetail, (error: unknown) => {
      if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => stop.abort();
  }, [host, name]);
  if (problem !== undefined) return <p class="soft padded">{problem}</p>;
  if (detail === undefined) return <p class="faint padded">Loading …</p>;
  return (
    <div class="stack padded">
      {detail.instructions === undefined ? null : (
        <Quoted by={`${name} says to models`} text={detail.instructions} />
      )}
      {/* All of it came as JSON. */}
      <JsonView value={{ ...detail } as unknown as Json} openTo={1} />
    </div>
  );
}
