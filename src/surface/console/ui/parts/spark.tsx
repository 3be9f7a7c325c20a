// Calls in each of the last seconds, as a line.
import { sparkPaths } from '../lib/spark.ts';

export function Spark({ values }: { readonly values: readonly number[] }) {
  const paths = sparkPaths(values, 120, 28);
  const sum = values.reduce((total, value) => total + value, 0);
  const label = sum === 0 ? 'no calls in the last minute' : `${sum} calls in the last minute`;
  return (
    <svg class="spark" viewBox="0 0 120 28" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      {paths === undefined ? (
        <path class="ground" d="M0 27H120" />
      ) : (
        <>
          <path class="area" d={paths.area} />
          <path class="line" d={paths.line} />
        </>
      )}
    </svg>
  );
}
