// The buttons that start, stop and restart a plugin.
import { useState } from 'preact/hooks';
import { segment } from '../../api/client.ts';
import type { PluginView } from '../../api/types.ts';
import { Button, IconButton } from '../../parts/buttons.tsx';
import { useHost } from '../../state/host.ts';
import { isRunning } from './facts.ts';

const actions = {
  start: { label: 'Start', done: 'started', icon: 'play' },
  stop: { label: 'Stop', done: 'stopped', icon: 'stop' },
  restart: { label: 'Restart', done: 'restarted', icon: 'restart' },
} as const;

interface ActionsProps {
  readonly plugin: PluginView;
  /** Icons without text. */
  readonly isSmall?: boolean;
}

export function PluginActions({ plugin, isSmall = false }: ActionsProps) {
  const host = useHost();
  const [isBusy, setBusy] = useState(false);
  if (plugin.untrusted !== undefined) return null;
  const run = async (name: keyof typeof actions) => {
    setBusy(true);
    await host.attempt(
      () => host.api.send('POST', `/plugins/${segment(plugin.name)}/${name}`),
      `${plugin.name} ${actions[name].done}`,
    );
    setBusy(false);
    await host.refreshPlugins().catch(() => {});
  };
  const possible = isRunning(plugin) ? (['restart', 'stop'] as const) : (['start'] as const);
  return (
    <span class="row tight nowrap">
      {possible.map((name) => {
        const { label, icon } = actions[name];
        const title = `${label} ${plugin.name}`;
        const common = { key: name, icon, disabled: isBusy, onClick: () => void run(name) };
        if (isSmall) return <IconButton {...common} label={title} />;
        return (
          <Button {...common} title={title} aria-label={title}>
            {label}
          </Button>
        );
      })}
    </span>
  );
}
