// What is worth a line while the fleet runs: states of plugins, what they say, questions that wait.
import { printableLine } from '../../../base/printable.ts';
import { describeCaller } from '../../../base/describe.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { Question } from '../../../gate/approval/approver.ts';
import type { CommandContext } from '../context.ts';
import { reasonOf } from '../commands/lists.ts';
import { logShown, logText, markedLine } from '../log-lines.ts';
import type { Terminal } from '../terminal.ts';

/** States that are shown. */
const shown: ReadonlySet<string> = new Set(['ready', 'unhealthy', 'backoff', 'failed', 'stopped']);

/** `isDrawn`: the states are on the screen already. */
type PrintEvent = (event: FleetEvent, isDrawn: boolean) => void;

export function eventPrinter(context: CommandContext): PrintEvent {
  const { out, err, json, verbosity } = context;
  const repeats = repetitions();
  return (event, isDrawn) => {
    if (event.kind === 'logged') {
      // States are shown below.
      const { entry, plugin } = event;
      if (entry.source === 'host' || !logShown(entry, verbosity)) return;
      if (entry.source !== 'stderr' || repeats.isNew(plugin, entry.message))
        err.line(logText(err, entry, `${err.colours.cyan(plugin)} `));
      return;
    }
    if (event.kind === 'plugin-removed') repeats.changed(event.plugin, 'stopped');
    if (event.kind !== 'state-changed') return;
    const { plugin: name, state, previous, at } = event;
    repeats.changed(name, state);
    if (json) return out.line(JSON.stringify({ at, name, state, reason: event.reason?.message }));
    // The end of a call is not shown.
    const isShown = shown.has(state) && previous !== 'busy';
    if (isDrawn || !(isShown || verbosity > 0)) return;
    const reason = reasonOf({ name, state, reason: event.reason?.message });
    const more = reason === undefined ? '' : `: ${printableLine(reason, REASON_MAX)}`;
    if (verbosity > 0 || repeats.isNew(name, `${state}${more}`))
      out.line(markedLine(out, `${out.colours.cyan(name)} ${paint(out, state)}`, more));
  };
}

const REASON_MAX = 1000;

/** A plugin that cannot start prints the same with every try: it is shown once, until it has started. */
function repetitions() {
  const shownTexts = new Map<string, Set<string>>();
  return {
    /** Notes who tries. */
    changed(plugin: string, state: string): void {
      if (state === 'ready' || state === 'stopped') shownTexts.delete(plugin);
      else if (state === 'starting' && !shownTexts.has(plugin)) shownTexts.set(plugin, new Set());
    },
    isNew(plugin: string, text: string): boolean {
      const texts = shownTexts.get(plugin);
      if (texts?.has(text) === true) return false;
      if (texts !== undefined && texts.size < TEXTS_MAX) texts.add(text);
      return true;
    },
  };
}

/** Of each. */
const TEXTS_MAX = 500;

function paint({ colours }: Terminal, state: string): string {
  const { green, yellow, red } = colours;
  const paints: Record<string, (text: string) => string> = {
    ready: green,
    unhealthy: yellow,
    backoff: yellow,
    failed: red,
  };
  return paints[state]?.(state) ?? state;
}

/** Shows where to answer; each question once. */
export function questionPrinter(
  { err }: CommandContext,
  where: string,
): (pending: readonly Question[]) => void {
  let known = new Set<string>();
  return (pending) => {
    for (const { id, tool, caller } of pending)
      if (!known.has(id))
        err.line(
          // The address at the end stays whole, so that it can be clicked.
          `${markedLine(err, `${err.colours.yellow('?')} `, `${printableLine(describeCaller(caller))} wants to call ${printableLine(tool)}.`)} Allow or deny it: ${where}`,
        );
    known = new Set(pending.map(({ id }) => id));
  };
}
