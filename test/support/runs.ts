// How often a property is tried: a part of the full number day by day, all of it under `npm run soak`.

export function runs(full: number, usual: number = Math.min(full, Math.max(50, full / 10))): number {
  return process.env['PLUGLOT_RUNS'] === 'full' ? full : usual;
}
