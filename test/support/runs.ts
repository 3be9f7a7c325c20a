// How often a property is tried: a part of the full number day by day, all of it under `npm run soak`.

/** Whether this run has the time for all of it. */
export const isFull: boolean = process.env['PLUGLOT_RUNS'] === 'full';

export function runs(full: number, usual: number = Math.min(full, Math.max(50, full / 10))): number {
  return isFull ? full : usual;
}
