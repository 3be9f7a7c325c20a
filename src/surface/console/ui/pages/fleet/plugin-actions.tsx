// Start, stop and restart of one plugin.
import { useState } from 'preact/hooks';
import { part } from '../../api/client.ts';
import type { PluginView } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import { isRunning } from './facts.ts';

const words = {
  start: { label: 'Start', done: 'started', icon: 'play' },
  stop: { label: 'Stop', done: 'stopped', icon: 'stop' },
  restart: { label: 'Restart', done: 'restarted', icon: 'restart' },
} as const;

export function PluginActions({
  plugin,
  isSmall = false,
}: {
  readonly plugin: PluginView;
  readonly isSmall?: boolean;
}) {
  const host = useHost();
  const [isUnderWay, setUnderWay] = useState(false);
  if (plugin.untrusted !== undefined) return null;
  const actions = isRunning(plugin) ? (['restart', 'stop'] as const) : (['start'] as const);
  const act = async (action: keyof typeof words) => {
    setUnderWay(true);
    await host.attempt(
      () => host.api.send('POST', `/plugins/${part(plugin.name)}/${action}`),
      `${plugin.name} ${words[action].done}`,
    );
    setUnderWay(false);
    await host.refreshPlugins().catch(() => {});
  };
  return (
    <span class="row tight nowrap">
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          class={`button ${isSmall ? 'plain icon-only' : ''}`}
          disabled={isUnderWay}
          title={`${words[action].label} ${plugin.name}`}
          aria-label={`${words[action].label} ${plugin.name}`}
          onClick={() => void act(action)}
        >
          <Icon name={words[action].icon} />
          {isSmall ? null : words[action].label}
        </button>
      ))}
    </span>
  );
}
