// What the page says of a plugin, from what the host told.
import type { PluginView } from '../../api/types.ts';

/** How long it has been in its state; undefined where nobody knows. */
export function stateAge({ sinceMs }: PluginView, now: number): number | undefined {
  return sinceMs === 0 ? undefined : Math.max(0, now - sinceMs);
}

export function isRunning({ state }: PluginView): boolean {
  return !['stopped', 'failed', 'stopping', 'disabled'].includes(state);
}

/** Of a plugin that may not be started yet: so too. */
export function shownState({ state, untrusted }: PluginView): string {
  return untrusted === undefined ? state : 'untrusted';
}

/** Why it does not work, where it should: whoever is stopped was asked to. */
export function troubleOf({ state, reason }: PluginView): string | undefined {
  return ['ready', 'busy', 'stopping', 'stopped'].includes(state) ? undefined : reason;
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
  stopped: 6,
  disabled: 7,
};
const WORKS = 4;
const WORKS_ANYWAY = 5;

/** What needs somebody first, then what works: the user's own before what comes with the host. */
export function inOrderOfNeed(plugins: readonly PluginView[]): PluginView[] {
  const rank = (plugin: PluginView) =>
    ranks[shownState(plugin)] ?? (plugin.origin === 'built-in' ? WORKS_ANYWAY : WORKS);
  return plugins.toSorted((one, other) => rank(one) - rank(other));
}
