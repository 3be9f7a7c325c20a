/**
 * @param {readonly number[]} values
 * @param {number} [fraction]
 */
export function quantile(values, fraction = 0.5) {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * The interquartile range in parts of the median.
 * @param {readonly number[]} values
 */
export function spread(values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values);
}

/**
 * How much the line through equally spaced values rises from one to the next.
 * @param {readonly number[]} values
 */
export function slope(values) {
  const middle = (values.length - 1) / 2;
  let rise = 0;
  let run = 0;
  for (const [index, value] of values.entries()) {
    rise += (index - middle) * value;
    run += (index - middle) ** 2;
  }
  return rise / run;
}

/**
 * Windows of one round ran close together, so noise of the machine hits both and leaves their ratio alone:
 * the median of the rounds' ratios is far steadier than the ratio of two medians.
 * @param {ReadonlyMap<number, number>} ours by round
 * @param {ReadonlyMap<number, number>} theirs by round
 */
export function pairedRatio(ours, theirs) {
  const ratios = [];
  for (const [round, value] of ours) {
    const other = theirs.get(round);
    if (other !== undefined) ratios.push(value / other);
  }
  return quantile(ratios);
}
