// Descriptions that the terminal and the browser share: the caller of a tool, and how many plugins are ready.
import { revealed } from './printable.ts';

interface DescribedCaller {
  readonly kind: string;
  readonly name?: string;
  readonly access?: string;
  readonly profile?: string;
}

/** Token and profile, for people: `token laptop, profile reader`. Undefined if it has neither. */
export function accessOf({ access, profile }: DescribedCaller): string | undefined {
  const parts = [
    ...(access === undefined ? [] : [`token ${access}`]),
    ...(profile === undefined ? [] : [`profile ${profile}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Such as `client claude (token laptop)`. */
export function describeCaller(caller: DescribedCaller): string {
  const { kind, name } = caller;
  const access = accessOf(caller);
  const who = name === undefined || name === kind ? kind : `${kind} ${quotedName(name)}`;
  return access === undefined ? who : `${who} (${access})`;
}

/** Clients choose their names: one with spaces or brackets must not look like text of the host. */
export function quotedName(name: string): string {
  return /^[\w.@+:/-]+$/.test(name) ? name : `"${revealed(name).replaceAll('"', String.raw`\"`)}"`;
}

// How many plugins are ready: without built-in ones, and without those that start on first use.

/** The fields of a plugin that matter here. */
interface Counted {
  readonly origin?: string;
  readonly state: string;
  readonly lazy?: boolean;
}

export interface ReadyCount {
  readonly ready: number;
  readonly total: number;
  /** Plugins that start on first use. */
  readonly later: number;
}

export function readyCount(views: readonly Counted[]): ReadyCount {
  const meant = views.filter(({ origin, state }) => origin !== 'built-in' && state !== 'disabled');
  const eager = meant.filter(({ lazy }) => lazy !== true);
  const ready = eager.filter(({ state }) => state === 'ready' || state === 'busy').length;
  return { ready, total: eager.length, later: meant.length - eager.length };
}
