// What is worth a line while the fleet runs: states of plugins, what they say, questions that wait.
import { printableLine } from '../../../base/printable.ts';
import { describeCaller } from '../../../base/describe-caller.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { Question } from '../../../gate/approval/approver.ts';
import type { CommandContext } from '../commands/context.ts';
import { reasonOf } from '../commands/states.ts';
import { logShown, logText } from '../log-lines.ts';
import type { Terminal } from '../terminal.ts';

/** States that a person wants to hear of. */
const shown: ReadonlySet<string> = new Set(['ready', 'unhealthy', 'backoff', 'failed', 'stopped']);

/** `isDrawn`: the states are on the screen already. */
type TellEvent = (event: FleetEvent, isDrawn: boolean) => void;

export function eventTeller(context: CommandContext): TellEvent {
  const { out, err, json, verbosity } = context;
  const repeats = repetitions();
  return (event, isDrawn) => {
    if (event.kind === 'logged') {
      // Of its states is told below.
      const { entry, plugin } = event;
      if (entry.source === 'host' || !logShown(entry, verbosity)) return;
      if (entry.source !== 'stderr' || repeats.isNew(plugin, entry.message))
        err.line(`${err.colours.cyan(plugin)} ${logText(err, entry)}`);
      return;
    }
    if (event.kind === 'plugin-removed') repeats.changed(event.plugin, 'stopped');
    if (event.kind !== 'state-changed') return;
    const { plugin: name, state, previous, at } = event;
    repeats.changed(name, state);
    if (json) return out.line(JSON.stringify({ at, name, state, reason: event.reason?.message }));
    // That a call is over is no news of the plugin.
    const isNews = shown.has(state) && previous !== 'busy';
    if (isDrawn || !(isNews || verbosity > 0)) return;
    const reason = reasonOf({ name, state, reason: event.reason?.message });
    const more = reason === undefined ? '' : `: ${printableLine(reason, REASON_MAX)}`;
    if (verbosity > 0 || repeats.isNew(name, `${state}${more}`))
      out.line(`${out.colours.cyan(name)} ${paint(out, state)}${more}`);
  };
}

const REASON_MAX = 1000;

/** A plugin that cannot start says the same with every try: it is told once, until it has started. */
function repetitions() {
  const told = new Map<string, Set<string>>();
  return {
    /** Notes who tries. */
    changed(plugin: string, state: string): void {
      if (state === 'ready' || state === 'stopped') told.delete(plugin);
      else if (state === 'starting' && !told.has(plugin)) told.set(plugin, new Set());
    },
    isNew(plugin: string, text: string): boolean {
      const texts = told.get(plugin);
      if (texts?.has(text) === true) return false;
      if (texts !== undefined && texts.size < TOLD_MAX) texts.add(text);
      return true;
    },
  };
}

/** Of each. */
const TOLD_MAX = 500;

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

/** For whoever is asked elsewhere; each question once. */
export function questionTeller(
  { err }: CommandContext,
  where: string,
): (pending: readonly Question[]) => void {
  let known = new Set<string>();
  return (pending) => {
    for (const { id, tool, caller } of pending)
      if (!known.has(id))
        err.line(
          `${err.colours.yellow('?')} ${printableLine(describeCaller(caller))} wants to call ${printableLine(tool)}. Allow or deny it: ${where}`,
        );
    known = new Set(pending.map(({ id }) => id));
  };
}
