// Why a plugin does not work, what it printed last, and the way out.
import type { PluginView } from '../../api/types.ts';
import { visible } from '../../lib/visible.ts';
import { Command } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { commandIn, troubleOf } from './facts.ts';
import type { PluginLog } from './use-plugin-logs.ts';

/** Of what it printed. */
const LINES = 8;

export function PluginTrouble({ plugin, log }: { readonly plugin: PluginView; readonly log: PluginLog }) {
  const { untrusted, changed } = plugin;
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
  const trouble = troubleOf(plugin);
  if (trouble === undefined)
    return changed === undefined ? null : (
      <div class="callout warn">
        <h3>
          <Icon name="warning" /> It is configured otherwise by now
        </h3>
        <p>{changed}</p>
      </div>
    );
  const isBad = plugin.state === 'failed';
  const printed = log.kept.printedLast(LINES).map(({ message }) => visible(message));
  return (
    <div class={`callout ${isBad ? 'bad' : 'warn'}`}>
      <h3>
        <Icon name="warning" /> What happened
      </h3>
      <p class="reason">{visible(trouble)}</p>
      {printed.length === 0 ? null : (
        <Quoted by={`${plugin.name} printed last, to stderr`}>
          <pre dir="ltr">{printed.join('\n')}</pre>
        </Quoted>
      )}
      {isBad ? <Command text="pluglot doctor" /> : null}
    </div>
  );
}

/** What to do: the command to paste, or the sentence where there is none. */
function WayOut({ text }: { readonly text: string }) {
  const command = commandIn(text);
  return command === undefined ? <p>{text}</p> : <Command text={command} />;
}
