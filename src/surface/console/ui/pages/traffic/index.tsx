// Traffic: the messages between the host and its plugins, live.
import { useEffect, useState } from 'preact/hooks';
import { counted, grouped } from '../../lib/format.ts';
import { Empty } from '../../parts/layout.tsx';
import { useHost } from '../../state/host.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { PageFrame, type Page } from '../page.tsx';
import { TrafficControls, TrafficFilters } from './controls.tsx';
import { MessageDetail } from './message-detail.tsx';
import { MessageList } from './message-list.tsx';
import { RecordingsStrip, useRecordings } from './recordings.tsx';
import { isFiltering } from './traffic-view.ts';
import './traffic.css';

export const traffic: Page = {
  path: 'traffic',
  title: 'Traffic',
  icon: 'traffic',
  key: 'w',
  View: TrafficPage,
  keys: [
    ['Enter', 'In the search field: open the newest match'],
    ['p', 'Pause or resume'],
    ['x', 'Clear'],
    ['o', 'Jump between request and response'],
  ],
};

function TrafficPage() {
  const host = useHost();
  const { traffic: store } = host;
  const recordings = useRecordings();
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
  const focusList = () => document.querySelector<HTMLElement>('.wire-list')?.focus();
  usePageKeys((key, isTyping) => {
    switch (key) {
      case 'Enter':
      case 'j':
      case 'k':
        if (isTyping) focusList();
        return move(key === 'j' ? 1 : key === 'k' ? -1 : 0);
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
        if (isTyping || chosen === undefined) return false;
        setChosen(undefined);
        requestAnimationFrame(focusList);
        return true;
      default:
        return false;
    }
  });
  return (
    <PageFrame
      title="Traffic"
      sub={<Count />}
      controls={<TrafficControls recordings={recordings} onClear={() => setChosen(undefined)} />}
      isFixed
    >
      <div class={`traffic ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="traffic-top">
          <TrafficFilters />
          <RecordingsStrip recordings={recordings} />
        </div>
        <div class="wire panel">
          <MessageList chosen={chosen} onChoose={setChosen} onMove={move} />
          <NoMessages />
        </div>
        {chosen === undefined ? null : <MessageDetail position={chosen} onChoose={setChosen} onMove={move} />}
      </div>
    </PageFrame>
  );
}

function Count() {
  const { traffic: store } = useHost();
  void store.version.value;
  const { view, size } = store;
  const isFiltered = isFiltering(store.filter.value);
  return (
    <span class="number">
      {isFiltered ? `${grouped(view.count)} of ${counted(size, 'message')}` : counted(view.count, 'message')}
      {store.held.value > 0 ? ` · ${grouped(store.held.value)} waiting` : ''}
      {store.dropped.value > 0 ? ` · ${grouped(store.dropped.value)} lost` : ''}
    </span>
  );
}

function NoMessages() {
  const { traffic: store } = useHost();
  void store.version.value;
  if (store.view.count > 0) return null;
  return (
    <div class="wire-empty">
      {isFiltering(store.filter.value) && store.size > 0 ? (
        <Empty icon="search" title={store.view.isComplete ? 'No matching messages' : 'Searching …'} />
      ) : (
        <Empty icon="traffic" title="No messages yet">
          <p>
            Call a tool to see every message between the host and its plugins.
            {store.size > 0 ? ' So far there were only pings.' : ''}
          </p>
        </Empty>
      )}
    </div>
  );
}
