// Plugins that do not run list no tools: which they are, and the way to start them.
import type { PluginView } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { PluginActions } from '../fleet/plugin-actions.tsx';

const SHOWN = 5;

export function IdlePlugins({
  plugins,
  isOwner,
}: {
  readonly plugins: readonly PluginView[];
  /** Whether the tool is known to be of these. */
  readonly isOwner: boolean;
}) {
  if (plugins.length === 0) return null;
  return (
    <div class="idle-plugins stack tight-stack" role="status">
      {isOwner ? null : <p>It may be a tool of a plugin that does not run: those list none.</p>}
      {plugins.slice(0, SHOWN).map((plugin) => (
        <div key={plugin.name} class="row">
          <Icon name="stop" />
          <span>
            The plugin {plugin.name} {stateWords(plugin.state)}
            {isOwner ? '. Its tools can be called when it runs.' : '.'}
          </span>
          <span class="push">
            <PluginActions plugin={plugin} />
          </span>
        </div>
      ))}
    </div>
  );
}

function stateWords(state: string): string {
  return state === 'failed' ? 'has failed' : `is ${state}`;
}
