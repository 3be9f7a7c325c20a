// The state of a plugin and its calls of the last minute, as small drawings.

interface Look {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | 'quiet';
  readonly shape: string;
  readonly isFilled: boolean;
}

const circle = 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z';

const looks: Readonly<Record<string, Look>> = {
  ready: { tone: 'good', shape: circle, isFilled: true },
  busy: { tone: 'busy', shape: 'M6 1a5 5 0 0 1 5 5l-5 0z M6 1.5a4.5 4.5 0 1 0 4.5 4.5', isFilled: false },
  starting: { tone: 'busy', shape: 'M3 2.5l3.5 3.5-3.5 3.5M6.5 2.5l3.5 3.5-3.5 3.5', isFilled: false },
  unhealthy: { tone: 'warn', shape: 'M6 1l5 9.5h-10z', isFilled: true },
  backoff: { tone: 'warn', shape: `${circle}M6 3.5v2.7l1.8 1.3`, isFilled: false },
  stopping: { tone: 'quiet', shape: 'M2.5 2.5h7v7h-7z', isFilled: false },
  failed: { tone: 'bad', shape: 'M2 2l8 8M10 2l-8 8', isFilled: false },
  stopped: { tone: 'quiet', shape: circle, isFilled: false },
  disabled: { tone: 'quiet', shape: `${circle}M2.8 9.2l6.4-6.4`, isFilled: false },
  untrusted: { tone: 'warn', shape: 'M2.5 5.5h7v5h-7zM4 5.5v-1.5a2 2 0 0 1 4 0v1.5', isFilled: false },
};

const unknown: Look = { tone: 'quiet', shape: 'M2 6h8', isFilled: false };

export function StateMark({ state }: { readonly state: string }) {
  // Guards against a state that this page does not know.
  const { tone, shape, isFilled } = (Object.hasOwn(looks, state) ? looks[state] : undefined) ?? unknown;
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path
          d={shape}
          fill={isFilled ? 'currentColor' : 'none'}
          stroke="currentColor"
          stroke-width="1.7"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
      {state}
    </span>
  );
}

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

/** Paths in a box of this size; undefined where all values are zero. */
export function sparkPaths(
  values: readonly number[],
  width: number,
  height: number,
): { line: string; area: string } | undefined {
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  if (values.length < 2 || !(most > 0) || !Number.isFinite(most)) return undefined;
  const step = width / (values.length - 1);
  const points = values.map((value, index) => {
    const part = Math.min(1, Math.max(0, value / most));
    return `${rounded(index * step)} ${rounded(height - 1 - part * (height - 2))}`;
  });
  const line = `M${points.join('L')}`;
  return { line, area: `${line}L${width} ${height}L0 ${height}Z` };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
