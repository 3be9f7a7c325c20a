// What is shown, as files: of each plugin a cassette, or all of it in one.
import { useState } from 'preact/hooks';
import type { PluginView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { download } from '../../parts/download-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import {
  cassetteHeader,
  cassetteLines,
  exportName,
  hasCassettes,
  jsonLines,
  type Exported,
} from './exported.ts';
import { useShownPlugins, type ShownPlugin } from './use-shown-plugins.ts';
import type { TrafficStore } from './traffic-store.ts';
import { isFiltering } from './traffic-view.ts';

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const host = useHost();
  const { traffic: store } = host;
  const [isBusy, setBusy] = useState(false);
  const { shown, total } = useShownPlugins(store);
  const save = (work: () => Promise<number>) => async () => {
    setBusy(true);
    await host.attempt(async () => {
      const omitted = await work();
      host.notice.value = {
        kind: 'done',
        text:
          omitted === 0
            ? 'Exported'
            : `Exported, without ${counted(omitted, 'message')} whose text is not kept`,
      };
    });
    setBusy(false);
  };
  const saveAll = save(async () => {
    const made = await gathered(store, undefined, jsonLines);
    download(exportName(undefined, Date.now()), ...made.lines);
    return made.omitted;
  });
  const saveOne = ({ name, firstAt }: ShownPlugin, plugin: PluginView) =>
    save(async () => {
      const made = await gathered(store, name, (messages, into) => cassetteLines(messages, firstAt, into));
      download(exportName(name, firstAt), cassetteHeader(plugin, firstAt), ...made.lines);
      return made.omitted;
    });
  return (
    <Dialog title="Export" name="traffic-dialog" onClose={onClose}>
      <p class="soft">
        {total === 0
          ? 'Nothing is shown that could be taken away. Call a tool, or filter less.'
          : `${counted(total, 'message')}: all that is shown${isFiltering(store.filter.value) ? ' with these filters' : ''}. Secrets are masked, as they are here.`}
      </p>
      {total === 0 ? null : (
        <>
          <button
            type="button"
            class="button primary"
            autofocus
            disabled={isBusy}
            onClick={() => void saveAll()}
          >
            <Icon name="download" /> All of it, as JSON lines
          </button>
          <h3>As cassettes, for pluglot replay</h3>
          <ul class="plain-list framed">
            {shown.map((one) => {
              const plugin = host.plugins.value.find(({ name }) => name === one.name);
              const isPlayable = plugin !== undefined && hasCassettes(plugin.dialect);
              return (
                <li key={one.name} class="export-row">
                  <span class="mono">{one.name}</span>
                  <span class="faint small">{counted(one.count, 'message')}</span>
                  {isPlayable ? (
                    <button
                      type="button"
                      class="button push"
                      aria-label={`Cassette of ${one.name}`}
                      disabled={isBusy}
                      onClick={() => void saveOne(one, plugin)()}
                    >
                      <Icon name="download" /> Cassette
                    </button>
                  ) : (
                    <span class="faint small push">its dialect is not known</span>
                  )}
                </li>
              );
            })}
          </ul>
          <p class="faint small">
            What filters leave out is not in them; a cassette that is to be played needs all of its plugin.
          </p>
        </>
      )}
    </Dialog>
  );
}

/** So many at a time, so that the page goes on meanwhile. */
const STEP = 5000;

async function gathered(
  store: TrafficStore,
  plugin: string | undefined,
  write: (messages: Parameters<typeof jsonLines>[0], into: Exported) => Exported,
): Promise<Exported> {
  const made: Exported = { lines: [], omitted: 0 };
  const { count } = store.view;
  for (let index = 0; index < count; index += STEP) {
    const messages = [];
    for (let at = index; at < Math.min(count, index + STEP); at++) {
      const message = store.view.at(at);
      if (message !== undefined && (plugin === undefined || message.plugin === plugin))
        messages.push(message);
    }
    write(messages, made);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return made;
}
