// Exports the messages that are shown: all as JSON lines, or those of one plugin as a cassette for `pluglot replay`.
import { useMemo, useState } from 'preact/hooks';
import type { PluginView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Button, download } from '../../parts/buttons.tsx';
import { Dialog } from '../../parts/layout.tsx';
import { useHost } from '../../state/host.ts';
import type { LoggedMessage } from './traffic-log.ts';
import type { TrafficStore } from './traffic-store.ts';
import { isFiltering } from './traffic-view.ts';

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const host = useHost();
  const { traffic: store } = host;
  const [isBusy, setBusy] = useState(false);
  // Counted once, when the dialog opens: messages go on arriving.
  const plugins = useMemo(() => shownPlugins(store), [store]);
  const total = plugins.reduce((sum, { count }) => sum + count, 0);
  const save = async (work: () => Promise<number>) => {
    setBusy(true);
    await host.attempt(async () => {
      const omitted = await work();
      const rest = omitted === 0 ? '' : `, without ${counted(omitted, 'message')} whose text is not kept`;
      host.notice.value = { kind: 'done', text: `Exported${rest}` };
    });
    setBusy(false);
  };
  const saveAll = () =>
    save(async () => {
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
          ? 'No messages to export. Call a tool, or change the filters.'
          : `${counted(total, 'message')}${isFiltering(store.filter.value) ? ' that match the filters' : ''}. Secrets are masked.`}
      </p>
      {total === 0 ? null : (
        <>
          <Button look="primary" icon="download" autofocus disabled={isBusy} onClick={() => void saveAll()}>
            All messages, as JSON lines
          </Button>
          <h3>Cassettes for pluglot replay</h3>
          <ul class="plain-list framed">
            {plugins.map((one) => {
              const plugin = host.plugins.value.find(({ name }) => name === one.name);
              return (
                <li key={one.name} class="export-row">
                  <span class="mono">{one.name}</span>
                  <span class="faint small">{counted(one.count, 'message')}</span>
                  {plugin !== undefined && hasCassettes(plugin.dialect) ? (
                    <Button
                      icon="download"
                      class="push"
                      aria-label={`Cassette of ${one.name}`}
                      disabled={isBusy}
                      onClick={() => void saveOne(one, plugin)}
                    >
                      Cassette
                    </Button>
                  ) : (
                    <span class="faint small push">unknown dialect</span>
                  )}
                </li>
              );
            })}
          </ul>
          <p class="faint small">
            Messages that the filters hide are not included; to be replayed, a cassette needs all messages of
            its plugin.
          </p>
        </>
      )}
    </Dialog>
  );
}

interface ShownPlugin {
  readonly name: string;
  readonly count: number;
  /** Time of its first message. */
  readonly firstAt: number;
}

function shownPlugins({ view }: TrafficStore): readonly ShownPlugin[] {
  const plugins = new Map<string, { name: string; count: number; firstAt: number }>();
  for (let index = 0; index < view.count; index++) {
    const message = view.at(index);
    if (message === undefined) continue;
    const known = plugins.get(message.plugin);
    if (known === undefined)
      plugins.set(message.plugin, { name: message.plugin, count: 1, firstAt: message.at });
    else known.count += 1;
  }
  return [...plugins.values()];
}

/** Messages per step; between steps the page can respond. */
const STEP = 5000;

async function gathered(
  { view }: TrafficStore,
  plugin: string | undefined,
  write: (messages: readonly LoggedMessage[], into: Exported) => Exported,
): Promise<Exported> {
  const made: Exported = { lines: [], omitted: 0 };
  const { count } = view;
  for (let index = 0; index < count; index += STEP) {
    const messages: LoggedMessage[] = [];
    for (let at = index; at < Math.min(count, index + STEP); at++) {
      const message = view.at(at);
      if (message !== undefined && (plugin === undefined || message.plugin === plugin))
        messages.push(message);
    }
    write(messages, made);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return made;
}

export interface Exported {
  readonly lines: string[];
  /** Messages whose full text is no longer known. */
  omitted: number;
}

export function jsonLines(
  messages: readonly LoggedMessage[],
  into: Exported = { lines: [], omitted: 0 },
): Exported {
  return written(messages, into, (text, { seq, at, plugin, from }) => {
    const facts = JSON.stringify({ seq, at: new Date(at).toISOString(), plugin, from });
    return `${facts.slice(0, -1)},"message":${text}}\n`;
  });
}

export function cassetteHeader(
  { name, dialect, command }: Pick<PluginView, 'name' | 'dialect' | 'command'>,
  firstAt: number,
): string {
  const header = { cassette: 1, plugin: name, dialect, recordedAt: new Date(firstAt).toISOString(), command };
  return `${JSON.stringify(header)}\n`;
}

/** The lines after the header; times count from the first message. */
export function cassetteLines(
  messages: readonly LoggedMessage[],
  firstAt: number,
  into: Exported = { lines: [], omitted: 0 },
): Exported {
  return written(messages, into, (text, message) => {
    const at = Math.max(0, Math.round((message.at - firstAt) * 1000) / 1000);
    return `{"at":${at},"from":"${message.from}","message":${text}}\n`;
  });
}

/** Messages without their whole text are left out. The text is JSON already. */
function written(
  messages: readonly LoggedMessage[],
  into: Exported,
  lineOf: (text: string, message: LoggedMessage) => string,
): Exported {
  for (const message of messages) {
    const { text, size } = message;
    if (text === undefined || text.length < size) into.omitted += 1;
    else into.lines.push(lineOf(text, message));
  }
  return into;
}

/** Whether `pluglot replay` knows the dialect. */
export function hasCassettes(dialect: string): boolean {
  return ['gassist', 'gevals', 'mcp', 'planner', 'yams'].includes(dialect);
}

/** `traffic-2026-11-17T12-04-09.jsonl`, or of one plugin `cassette-dice-2026-11-17T12-04-09.jsonl`. */
export function exportName(plugin: string | undefined, at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');
  const what =
    plugin === undefined ? 'traffic' : `cassette-${plugin.replaceAll(/[^\w@-]/g, '_').slice(0, 80)}`;
  return `${what}-${time}.jsonl`;
}
