// How something went that somebody asked for.
import { useEffect } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { useHost } from '../state/host-context.ts';

export function NoticeBar() {
  const { notice } = useHost();
  const current = notice.value;
  useEffect(() => {
    if (current === undefined) return;
    const timer = setTimeout(() => (notice.value = undefined), current.kind === 'failed' ? 8000 : 2500);
    return () => clearTimeout(timer);
  }, [current, notice]);
  return (
    <div role="status" aria-live="polite" class={current === undefined ? 'unseen' : `notice ${current.kind}`}>
      {current === undefined ? null : (
        <>
          <Icon name={current.kind === 'failed' ? 'warning' : 'check'} />
          <span>{current.text}</span>
        </>
      )}
    </div>
  );
}
