// What is worth a line while the fleet runs: states of plugins, what they say, questions that wait.
import { printableLine } from '../../../base/printable.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { Question } from '../../../gate/approval/approver.ts';
import type { CommandContext } from '../commands/context.ts';
import { logShown, logText } from '../log-lines.ts';
import type { Terminal } from '../terminal.ts';

/** States that a person wants to hear of. */
const shown: ReadonlySet<string> = new Set(['ready', 'unhealthy', 'backoff', 'failed', 'stopped']);

/** `isDrawn`: the states are on the screen already. */
export function tellEvent(context: CommandContext, event: FleetEvent, isDrawn: boolean): void {
  const { out, err, json, verbosity } = context;
  if (event.kind === 'logged') {
    // Of its states is told below.
    if (event.entry.source !== 'host' && logShown(event.entry, verbosity))
      err.line(`${err.colours.cyan(event.plugin)} ${logText(err, event.entry)}`);
    return;
  }
  if (event.kind !== 'state-changed') return;
  const { plugin: name, state, previous, at } = event;
  // That a call is over is no news of the plugin.
  const isNews = shown.has(state) && previous !== 'busy';
  const reason = event.reason?.message;
  if (json) out.line(JSON.stringify({ at, name, state, reason }));
  else if (!isDrawn && (isNews || verbosity > 0))
    out.line(
      `${out.colours.cyan(name)} ${paint(out, state)}${reason === undefined ? '' : `: ${printableLine(reason)}`}`,
    );
}

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
          `${err.colours.yellow('?')} ${printableLine(caller.name ?? caller.kind)} wants to call ${printableLine(tool)}. Allow or deny it: ${where}`,
        );
    known = new Set(pending.map(({ id }) => id));
  };
}
