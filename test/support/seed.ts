// One seed for all that is random in a run. `npm test` takes the same one each time, so that its verdict belongs to the code and not to luck;
// `npm run soak` draws a new one and prints it.
export function seed(): number {
  return Number(process.env['PLUGLOT_SEED'] ?? 20_261_117);
}
