// How long a question waits.
import { longDuration } from '../../lib/format.ts';
import { useHost } from '../../state/host-context.ts';

export function TimeLeft({ until }: { readonly until: number }) {
  const left = until - useHost().now.value;
  return (
    <span class={`tag number push ${left < 10_000 ? 'bad' : ''}`}>
      {left <= 0 ? 'too late' : `${longDuration(left)} left`}
    </span>
  );
}
