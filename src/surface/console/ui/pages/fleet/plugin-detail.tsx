// One plugin: what is wrong with it, its numbers, what it says, what it offers.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PluginView } from '../../api/types.ts';
import { longDuration } from '../../lib/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { shownState, stateAge } from './facts.ts';
import { PluginAbout } from './plugin-about.tsx';
import { PluginActions } from './plugin-actions.tsx';
import { PluginLogs } from './plugin-logs.tsx';
import { PluginNumbers } from './plugin-numbers.tsx';
import { PluginTools } from './plugin-tools.tsx';
import { PluginTrouble } from './plugin-trouble.tsx';
import { usePluginLogs } from './use-plugin-logs.ts';

type TabName = 'logs' | 'tools' | 'about';

export function PluginDetailView({ name }: { readonly name: string }) {
  const host = useHost();
  const [tab, setTab] = useState<TabName>('logs');
  const place = useRef<HTMLElement>(null);
  const log = usePluginLogs(name);
  const plugin = host.plugins.value.find((one) => one.name === name);
  useEffect(() => {
    // Where it takes the place of the list, the focus would be lost with that.
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
              <StateMark state={shownState(plugin)} />
              <Age plugin={plugin} />
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
            <PluginTrouble plugin={plugin} log={log} />
            <PluginNumbers plugin={plugin} />
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

function Age({ plugin }: { readonly plugin: PluginView }) {
  const age = stateAge(plugin, useHost().now.value);
  return age === undefined ? null : <span class="faint number">{longDuration(age)}</span>;
}
