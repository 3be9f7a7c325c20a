// What the page says of a plugin, from what the host told.
import type { PluginView } from '../../api/types.ts';

/** How long it has been in its state; hosts tell the moment, or for how long. */
export function stateAge({ sinceMs }: PluginView, now: number, toldAt = now): number {
  const isMoment = sinceMs > 1e11;
  return Math.max(0, isMoment ? now - sinceMs : now - toldAt + sinceMs);
}

export function isRunning({ state }: PluginView): boolean {
  return !['stopped', 'failed', 'stopping', 'disabled'].includes(state);
}

/** Of a plugin that may not be started yet: so too. */
export function shownState({ state, untrusted }: PluginView): string {
  return untrusted === undefined ? state : 'untrusted';
}

/** The part of a hint that can be pasted: what begins with the command, alone or between backticks. */
export function commandIn(text: string): string | undefined {
  return /`(pluglot [^`]{1,300})`/.exec(text)?.[1] ?? /^pluglot [^\n]{1,300}$/.exec(text.trim())?.[0];
}

const ranks: Readonly<Record<string, number>> = {
  failed: 0,
  unhealthy: 1,
  backoff: 2,
  untrusted: 3,
  stopped: 5,
  disabled: 6,
};

/** What needs somebody first, then what works, as it is configured. */
export function inOrderOfNeed(plugins: readonly PluginView[]): PluginView[] {
  const rank = (plugin: PluginView) => ranks[shownState(plugin)] ?? 4;
  return plugins.toSorted((one, other) => rank(one) - rank(other));
}
