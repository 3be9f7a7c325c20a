// One plugin: its problem, numbers, logs and tools, and what is known of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import { messageOf, segment } from '../../api/client.ts';
import type { PluginDetails, PluginView } from '../../api/types.ts';
import { grouped, longDuration, shortLatency } from '../../lib/format.ts';
import { visible } from '../../lib/text.ts';
import { Command, CopyButton } from '../../parts/buttons.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Callout, Tabs } from '../../parts/layout.tsx';
import { Spark, StateMark } from '../../parts/plugin-marks.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { linkTo } from '../../state/address.ts';
import { useHost } from '../../state/host.ts';
import { aboutFacts, commandInHint, displayState, problemOf, stateAge } from './facts.ts';
import { PluginActions } from './plugin-actions.tsx';
import { PluginLogs, usePluginLogs, type PluginLog } from './plugin-logs.tsx';

export function PluginDetailView({ name }: { readonly name: string }) {
  const host = useHost();
  const [tab, setTab] = useState<'logs' | 'tools' | 'about'>('logs');
  const place = useRef<HTMLElement>(null);
  const log = usePluginLogs(name);
  const plugin = host.plugins.value.find((one) => one.name === name);
  const age = plugin === undefined ? undefined : stateAge(plugin, host.now.value);
  useEffect(() => {
    // On a narrow page it replaces the list, and the focused row with it.
    if (document.activeElement === null || document.activeElement === document.body) place.current?.focus();
  }, []);
  return (
    <section class="fleet-detail panel" aria-label={`Plugin ${name}`} ref={place} tabIndex={-1}>
      <div class="stack detail-head">
        <div class="row">
          <a class="button plain icon-only" href={linkTo('fleet')} aria-label="Close" title="Close (Esc)">
            <Icon name="close" />
          </a>
          <h2>{name}</h2>
          {plugin === undefined ? null : (
            <>
              <StateMark state={displayState(plugin)} />
              {age === undefined ? null : <span class="faint number">{longDuration(age)}</span>}
              <span class="push">
                <PluginActions plugin={plugin} />
              </span>
            </>
          )}
        </div>
        {plugin === undefined ? (
          <p class="soft">
            {host.connection.value === 'open' ? 'This plugin no longer exists.' : 'Loading …'}
          </p>
        ) : (
          <>
            <PluginProblem plugin={plugin} log={log} />
            <PluginNumbers plugin={plugin} />
          </>
        )}
      </div>
      <Tabs
        id="plugin"
        label="Plugin details"
        tabs={{ logs: 'Logs', tools: 'Tools', about: 'About' }}
        chosen={tab}
        onChoose={setTab}
      />
      <div class="detail-body">
        {tab === 'logs' ? (
          <PluginLogs name={name} log={log} />
        ) : tab === 'tools' ? (
          <PluginTools plugin={name} />
        ) : (
          <PluginAbout name={name} />
        )}
      </div>
    </section>
  );
}

const STDERR_LINES = 8;

/** Why a plugin does not work, its last output, and how to fix it. */
function PluginProblem({ plugin, log }: { readonly plugin: PluginView; readonly log: PluginLog }) {
  const { untrusted, changed } = plugin;
  if (untrusted !== undefined) {
    const command = commandInHint(untrusted.wayOut);
    return (
      <Callout tone="warn" icon="lock" title="Not started until you trust it">
        <p>{untrusted.reason}</p>
        {command === undefined ? <p>{untrusted.wayOut}</p> : <Command text={command} />}
      </Callout>
    );
  }
  const problem = problemOf(plugin);
  if (problem === undefined)
    return changed === undefined ? null : (
      <Callout tone="warn" title="Its configuration has changed">
        <p>{changed}</p>
      </Callout>
    );
  const isFailed = plugin.state === 'failed';
  const lines = log.kept.printedLast(STDERR_LINES).map(({ message }) => visible(message));
  return (
    <Callout tone={isFailed ? 'bad' : 'warn'} title="What happened">
      <p class="reason">{visible(problem)}</p>
      {lines.length === 0 ? null : (
        <Quoted by={`Last output of ${plugin.name} on stderr`}>
          <pre dir="ltr">{lines.join('\n')}</pre>
        </Quoted>
      )}
      {isFailed ? <Command text="pluglot doctor" /> : null}
    </Callout>
  );
}

function PluginNumbers({ plugin: { stats, restarts } }: { readonly plugin: PluginView }) {
  const numbers: readonly (readonly [label: string, value: string, isBad?: boolean])[] = [
    ['Calls', grouped(stats.calls)],
    ['Failed', grouped(stats.failures), stats.failures > 0],
    ['p50', shortLatency(stats.p50Ms)],
    ['p99', shortLatency(stats.p99Ms)],
    ['Running', grouped(stats.running)],
    ['Waiting', grouped(stats.waiting)],
    ['Restarts', grouped(restarts), restarts > 0],
  ];
  return (
    <div class="numbers">
      <dl>
        {numbers.map(([label, value, isBad = false]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class={`number ${isBad ? 'bad-text' : ''}`}>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="numbers-spark">
        <span class="faint small">Last minute</span>
        <Spark values={stats.perSecond} />
      </div>
    </div>
  );
}

const TOOLS_SHOWN = 300;

function PluginTools({ plugin }: { readonly plugin: string }) {
  const tools = useHost().tools.value.filter((tool) => tool.plugin === plugin);
  if (tools.length === 0)
    return <p class="soft padded">No tools. A plugin that is not ready may list none.</p>;
  return (
    <ul class="plain-list">
      {tools.slice(0, TOOLS_SHOWN).map(({ name, tool, enabled }) => (
        <li key={name}>
          <a href={linkTo('tools', name)}>{visible(name)}</a>
          {enabled ? null : <span class="tag">off</span>}
          <span class="soft line">{visible(tool.description ?? tool.title ?? 'No description')}</span>
        </li>
      ))}
      {tools.length > TOOLS_SHOWN ? (
        <li class="soft">{tools.length - TOOLS_SHOWN} more on the Tools page.</li>
      ) : null}
    </ul>
  );
}

function PluginAbout({ name }: { readonly name: string }) {
  const host = useHost();
  const [detail, setDetail] = useState<PluginDetails>();
  const [problem, setProblem] = useState<string>();
  const state = host.plugins.value.find((one) => one.name === name)?.state;
  useEffect(() => {
    const stop = new AbortController();
    host.api.get(`/plugins/${segment(name)}`, stop.signal).then(setDetail, (error: unknown) => {
      if (!stop.signal.aborted) setProblem(messageOf(error));
    });
    return () => stop.abort();
    // A plugin that has started may have more to show.
  }, [host, name, state]);
  if (problem !== undefined) return <p class="soft padded">{problem}</p>;
  if (detail === undefined) return <p class="faint padded">Loading …</p>;
  return (
    <div class="stack padded">
      <dl class="facts">
        {aboutFacts(detail).map(({ label, value, isCode = false }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {isCode ? <code>{visible(value)}</code> : visible(value)}
              {isCode ? <CopyButton text={value} label={`Copy: ${label}`} /> : null}
            </dd>
          </div>
        ))}
      </dl>
      {detail.instructions === undefined ? null : (
        <Quoted by={`Instructions of ${name} for models`} text={detail.instructions} />
      )}
      <details class="raw">
        <summary class="soft">As JSON</summary>
        {/* It came as JSON. */}
        <JsonView value={{ ...detail } as unknown as Json} openTo={1} />
      </details>
    </div>
  );
}
