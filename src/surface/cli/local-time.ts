// Moments for people, in the time of this place.

/** Milliseconds since 1970 as `2026-11-17 09:05:00.123`. */
export function timeOf(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().replace('T', ' ').slice(0, 23);
}
