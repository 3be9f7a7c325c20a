// Messages as files to take away: a cassette is the conversation with one plugin, as `pluglot replay` takes it; one file of JSON lines has
// those of all. The texts are those that the host told, with secrets masked.
import type { PluginView } from '../../api/types.ts';
import type { LoggedMessage } from './traffic-log.ts';

export interface Exported {
  readonly lines: string[];
  /** Of which the whole text is not known any more. */
  omitted: number;
}

/** The message as it was on the wire; undefined where not all of it is known. */
function whole({ text, size }: LoggedMessage): string | undefined {
  return text === undefined || text.length < size ? undefined : text;
}

export function jsonLines(
  messages: readonly LoggedMessage[],
  into: Exported = { lines: [], omitted: 0 },
): Exported {
  for (const message of messages) {
    const text = whole(message);
    const { seq, at, plugin, from } = message;
    // A text is JSON already.
    if (text === undefined) into.omitted += 1;
    else
      into.lines.push(
        `${JSON.stringify({ seq, at: new Date(at).toISOString(), plugin, from }).slice(0, -1)},"message":${text}}\n`,
      );
  }
  return into;
}

export function cassetteHeader(
  { name, dialect, command }: Pick<PluginView, 'name' | 'dialect' | 'command'>,
  firstAt: number,
): string {
  const header = { cassette: 1, plugin: name, dialect, recordedAt: new Date(firstAt).toISOString(), command };
  return `${JSON.stringify(header)}\n`;
}

/** Behind the header; times are counted from the first. */
export function cassetteLines(
  messages: readonly LoggedMessage[],
  firstAt: number,
  into: Exported = { lines: [], omitted: 0 },
): Exported {
  for (const message of messages) {
    const text = whole(message);
    const at = Math.max(0, Math.round((message.at - firstAt) * 1000) / 1000);
    if (text === undefined) into.omitted += 1;
    else into.lines.push(`{"at":${at},"from":"${message.from}","message":${text}}\n`);
  }
  return into;
}

/** Dialects that a cassette can be of. */
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
