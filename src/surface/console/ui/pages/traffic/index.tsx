// Traffic: what goes over the wires, frame by frame, as it goes.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../page.ts';
import { counted, grouped } from '../../lib/format.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { useHost } from '../../state/host-context.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { MessageDetail } from './message-detail.tsx';
import { MessageList } from './message-list.tsx';
import { TrafficControls, TrafficFilters } from './traffic-controls.tsx';
import './traffic.css';

export const traffic: Page = {
  path: 'traffic',
  title: 'Traffic',
  icon: 'traffic',
  key: 'w',
  View: TrafficPage,
  keys: [
    ['p', 'Pause, go on'],
    ['x', 'Clear'],
    ['o', 'To the other half: request or response'],
  ],
};

function TrafficPage() {
  const host = useHost();
  const { traffic: store } = host;
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    host.wantTraffic(true);
    const plugin = host.route.value.query.get('plugin');
    if (plugin !== undefined) store.setFilter({ plugin });
    return () => host.wantTraffic(false);
  }, [host, store]);
  const move = (by: number) => {
    const at = chosen === undefined ? -1 : store.view.indexOf(chosen);
    const next = at < 0 ? store.view.count - 1 : Math.min(Math.max(at + by, 0), store.view.count - 1);
    setChosen(store.view.at(next)?.position);
    return true;
  };
  usePageKeys((key) => {
    switch (key) {
      case 'j':
        return move(1);
      case 'k':
        return move(-1);
      case 'p':
        store.pause(!store.isPaused.value);
        return true;
      case 'x':
        store.clear();
        setChosen(undefined);
        return true;
      case 'o': {
        const partner = store.at(chosen)?.partner;
        if (partner !== undefined) setChosen(partner);
        return partner !== undefined;
      }
      case 'Escape':
        setChosen(undefined);
        return chosen !== undefined;
      default:
        return false;
    }
  });
  return (
    <PageFrame
      title="Traffic"
      sub={<Count />}
      controls={<TrafficControls onClear={() => setChosen(undefined)} />}
      isFixed
    >
      <div class={`traffic ${chosen === undefined ? '' : 'chosen'}`}>
        <TrafficFilters />
        <div class="wire panel">
          <MessageList chosen={chosen} onChoose={setChosen} onMove={move} />
          <Nothing />
        </div>
        {chosen === undefined ? null : <MessageDetail position={chosen} onChoose={setChosen} />}
      </div>
    </PageFrame>
  );
}

function Count() {
  const { traffic: store } = useHost();
  void store.version.value;
  const { view, size } = store;
  const isFiltered = Object.values(store.filter.value).some((one) => one !== '');
  return (
    <span class="number">
      {isFiltered ? `${grouped(view.count)} of ` : ''}
      {counted(size, 'message')}
      {store.held.value > 0 ? ` · ${grouped(store.held.value)} held up` : ''}
      {store.dropped.value > 0 ? ` · ${grouped(store.dropped.value)} left out` : ''}
    </span>
  );
}

function Nothing() {
  const { traffic: store } = useHost();
  void store.version.value;
  if (store.view.count > 0) return null;
  return (
    <div class="wire-empty">
      {store.size === 0 ? (
        <Empty icon="traffic" title="The wires are quiet">
          <p>Call a tool, and every message between the host and its plugins appears here.</p>
        </Empty>
      ) : (
        <Empty icon="search" title={store.view.isComplete ? 'No message fits' : 'Searching …'} />
      )}
    </div>
  );
}
