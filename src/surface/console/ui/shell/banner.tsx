// The host is not there: calmly, and with what happens next.
import { Icon } from '../parts/icon.tsx';
import { useHost } from '../state/host-context.ts';

export function Banner() {
  const host = useHost();
  const isLost = host.connection.value === 'lost';
  return (
    <div role="status" class={isLost ? 'banner' : 'unseen'}>
      {isLost ? (
        <>
          <Icon name="offline" />
          <span>The host does not answer. What you see is how it was; the page comes back by itself.</span>
          <button type="button" class="button plain push" onClick={() => host.reconnect()}>
            Try now
          </button>
        </>
      ) : null}
    </div>
  );
}
