// Lengths of time as people and Go programs write them: 1h30m, 100ms, 1.5h. In and out of milliseconds.

import { shown } from './shown.ts';

export type Duration = { readonly ms: number } | { readonly problem: string };

/** The longest that Go knows, in nanoseconds: some 292 years. */
const LONGEST = 2n ** 63n - 1n;

/** In milliseconds, for those who have to stay below it. */
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

/** Reads a Go duration, in full nanoseconds. A bare number has no unit and is refused, as is anything below zero. */
export function parseDuration(text: string): Duration {
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0n;
  do {
    const at = part.lastIndex;
    const [found, whole = '', fraction = '', unit = ''] = part.exec(text) ?? [];
    if (found === undefined || whole + fraction === '') return { problem: problemAt(text, at) };
    // What is too long to be read is too long to be waited for; digits below a nanosecond are not told apart.
    const significant = whole.replace(/^0+/, '');
    const nanoseconds = nanosecondsIn[unit] ?? 0n;
    if (significant.length > 19) return { problem: tooLong(text) };
    total += BigInt(significant) * nanoseconds + partOf(nanoseconds, fraction.slice(0, 15));
    if (total > LONGEST) return { problem: tooLong(text) };
  } while (part.lastIndex < text.length);
  return { ms: Number(total) / 1e6 };
}

/**
 * The shortest Go duration that says the same, to the nanosecond: 5m, 1h30m, 1s500ms; 0s for nothing.
 * @throws RangeError for what Go has no word for: less than nothing, more than 292 years
 */
export function formatDuration(ms: number): string {
  if (!(ms >= 0 && ms <= LONGEST_DURATION_MS)) throw new RangeError(`${ms} ms is no duration that Go knows.`);
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
  return `${shown(text, 40)} is no duration; expected one ${examples}`;
}

function tooLong(text: string): string {
  return `${shown(text, 40)} is longer than 292 years`;
}
