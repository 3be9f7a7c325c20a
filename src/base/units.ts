// Sizes in bytes and their defaults, and durations.
import { shown } from './text.ts';

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** The largest message body that is accepted or sent, in bytes. */
export const DEFAULT_FRAME_LIMIT = 16 * MiB;

/** How many bytes may wait in a pipe before writers are asked to wait: enough to keep both processes busy. */
export const DEFAULT_QUEUE_MARK = 256 * KiB;

/** How many bytes may wait in a pipe before writing fails. */
export const DEFAULT_QUEUE_LIMIT = 16 * MiB;

// Durations as people and Go programs write them: 1h30m, 100ms, 1.5h.

export type Duration = { readonly ms: number } | { readonly problem: string };

/** The longest Go duration in nanoseconds, about 292 years. */
const LONGEST = 2n ** 63n - 1n;

/** The same in milliseconds. */
export const LONGEST_DURATION_MS = Number(LONGEST / 1_000_000n);

const nanosecondsIn: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n, // the micro sign, U+00B5
  μs: 1000n, // the Greek letter, U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Reads a Go duration in whole nanoseconds. Refuses a number without a unit, and anything below zero. */
export function parseDuration(text: string): Duration {
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0n;
  do {
    const at = part.lastIndex;
    const [found, whole = '', fraction = '', unit = ''] = part.exec(text) ?? [];
    if (found === undefined || whole + fraction === '') return { problem: problemAt(text, at) };
    // Digits below a nanosecond are ignored.
    const significant = whole.replace(/^0+/, '');
    const nanoseconds = nanosecondsIn[unit] ?? 0n;
    if (significant.length > 19) return { problem: tooLong(text) };
    total += BigInt(significant) * nanoseconds + partOf(nanoseconds, fraction.slice(0, 15));
    if (total > LONGEST) return { problem: tooLong(text) };
  } while (part.lastIndex < text.length);
  return { ms: Number(total) / 1e6 };
}

/**
 * The shortest Go duration for it, to the nanosecond: 5m, 1h30m, 1s500ms; 0s for zero.
 * @throws RangeError for what Go cannot express: less than zero, more than 292 years
 */
export function formatDuration(ms: number): string {
  if (!(ms >= 0 && ms <= LONGEST_DURATION_MS))
    throw new RangeError(`${ms} ms cannot be written as a Go duration.`);
  let left = BigInt(Math.trunc(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6));
  let text = '';
  for (const unit of ['h', 'm', 's', 'ms', 'us', 'ns']) {
    const nanoseconds = nanosecondsIn[unit] ?? 1n;
    if (left >= nanoseconds) text += `${left / nanoseconds}${unit}`;
    left %= nanoseconds;
  }
  return text === '' ? '0s' : text;
}

function partOf(nanoseconds: bigint, fraction: string): bigint {
  return fraction === '' ? 0n : (BigInt(fraction) * nanoseconds) / 10n ** BigInt(fraction.length);
}

function problemAt(text: string, at: number): string {
  const examples = 'such as "30s", "5m", "1h30m" or "100ms"';
  if (text.startsWith('-')) return `${shown(text, 40)} is below zero; expected a duration ${examples}`;
  if (/^[\d.]+$/.test(text.slice(at)))
    return `${shown(text, 40)} has a number without a unit; expected a duration ${examples}`;
  return `${shown(text, 40)} is not a duration; expected one ${examples}`;
}

function tooLong(text: string): string {
  return `${shown(text, 40)} is longer than 292 years`;
}
