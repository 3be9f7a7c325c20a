// What a plugin speaks and how it is, in a few words.
import type { PluginView } from '../../../runtime/api.ts';
import { printableLine } from '../../../base/printable.ts';

export function describeDialect({ dialect }: Pick<PluginView, 'dialect'>): string {
  return dialect === 'unknown' ? 'not asked yet' : dialect;
}

export function describeState({
  state,
  sinceMs,
  reason,
  untrusted,
}: Pick<PluginView, 'state' | 'sinceMs' | 'reason' | 'untrusted'>): string {
  if (untrusted !== undefined) return 'not trusted';
  const since = state === 'stopped' || state === 'disabled' ? '' : ` for ${describeTime(sinceMs)}`;
  return `${state}${since}${reason === undefined ? '' : `: ${printableLine(reason, REASON_MAX)}`}`;
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
