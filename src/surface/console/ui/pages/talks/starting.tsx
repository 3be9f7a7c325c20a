// A conversation that has not begun yet, and why.
import { useEffect } from 'preact/hooks';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import type { ConsoleTalk } from './talk.ts';
import { whyWaiting } from './why-waiting.ts';

/** Who holds a plugin changes without an event. */
const REFRESH_MS = 1500;

export function Starting({ talk }: { readonly talk: ConsoleTalk }) {
  const host = useHost();
  useEffect(() => {
    const refresh = () => host.refreshPlugins().catch(() => {});
    void refresh();
    const timer = setInterval(() => void refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [host]);
  const { answer } = talk.state.value;
  const said = answer?.state.value;
  const waitedMs = said === undefined ? 0 : host.now.value - said.startedAt;
  const why = whyWaiting(talk, host.plugins.value, host.questions.value, waitedMs);
  return (
    <div class="chat-starting" role="status">
      <span class="spinner" aria-hidden="true" />
      <span>
        {why === undefined ? (
          'Starting …'
        ) : why.for === 'yes' ? (
          <>
            It waits for a yes: <a href={linkTo('approvals')}>answer it in Approvals</a>.
          </>
        ) : (
          why.words
        )}
      </span>
    </div>
  );
}
