// What a plugin speaks and how it is, in a few words.
import type { PluginView } from '../../../runtime/api.ts';
import { printableLine } from '../../../base/printable.ts';

export function describeDialect({ dialect }: Pick<PluginView, 'dialect'>): string {
  return dialect === 'unknown' ? 'not asked yet' : dialect;
}

type Shown = Pick<PluginView, 'name' | 'state' | 'sinceMs' | 'reason' | 'untrusted' | 'sandbox'>;

export function describeState(view: Shown): string {
  const { state, sinceMs, untrusted } = view;
  if (untrusted !== undefined) return 'not trusted';
  const isTimeless = state === 'stopped' || state === 'disabled' || sinceMs < 1000;
  const since = isTimeless ? '' : ` for ${describeTime(sinceMs)}`;
  const reason = reasonOf(view);
  return `${state}${since}${describeSandbox(view)}${reason === undefined ? '' : `: ${printableLine(reason, REASON_MAX)}`}`;
}

export function describeSandbox({ sandbox }: Pick<PluginView, 'sandbox'>): string {
  return sandbox === undefined ? '' : `, confined${sandbox.network ? ' with network' : ''}`;
}

/** That one is stopped which was stopped is no reason. */
export function reasonOf(of: {
  readonly name: string;
  readonly state: string;
  readonly reason?: string | undefined;
}): string | undefined {
  const { name, state, reason } = of;
  return state === 'stopped' && reason === `Plugin "${name}" was stopped.` ? undefined : reason;
}

const REASON_MAX = 2000;

function describeTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
