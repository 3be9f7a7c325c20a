// The state of a plugin: a shape, a colour and the word.
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
  // A newer host may know more states than this page.
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
