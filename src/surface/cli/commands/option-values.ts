// What the values of options become.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../../base/duration.ts';

/** For an option that may be given again. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** In milliseconds. */
export function durationOption(text: string): number {
  const duration = parseDuration(text);
  if ('problem' in duration) throw new InvalidArgumentError(duration.problem);
  return duration.ms;
}

/** A date, or how long ago; in milliseconds since 1970. */
export function momentOption(text: string): number {
  const duration = parseDuration(text);
  if ('ms' in duration) return Date.now() - duration.ms;
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment))
    throw new InvalidArgumentError('Write how long ago, such as 2h, or a date such as 2026-11-17.');
  return moment;
}

export function numberOption(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

export function portOption(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('Write a number from 0 to 65535.');
  return port;
}
