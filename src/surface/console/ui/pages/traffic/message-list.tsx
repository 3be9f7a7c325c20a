// The messages that fit, of which only those in sight are drawn. It follows the newest until somebody scrolls away.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clockTime, shortDuration, shortSize } from '../../lib/format.ts';
import { rowWindow, scrolledTo } from '../../lib/row-window.ts';
import { visible } from '../../lib/visible.ts';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import { nameOf, type LoggedMessage } from './traffic-log.ts';

const ROW = 26;
const GLIMPSE = 240;

export function MessageList({
  chosen,
  onChoose,
  onMove,
}: {
  readonly chosen: number | undefined;
  readonly onChoose: (position: number) => void;
  readonly onMove: (by: number) => void;
}) {
  const { traffic: store } = useHost();
  const version = store.version.value;
  const { view } = store;
  const place = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const forgotten = useRef(0);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setScroll({ top: element.scrollTop, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    if (isFollowing.current) element.scrollTop = view.count * ROW;
    // What is looked at stays where it is while older messages go.
    else if (view.forgotten > forgotten.current)
      element.scrollTop -= (view.forgotten - forgotten.current) * ROW;
    forgotten.current = view.forgotten;
  }, [version, view]);

  useLayoutEffect(() => {
    const element = place.current;
    const index = chosen === undefined ? -1 : view.indexOf(chosen);
    if (element === null || index < 0) return;
    isFollowing.current = false;
    element.scrollTop = scrolledTo(index, ROW, element.scrollTop, element.clientHeight);
  }, [chosen, view]);

  const top = isFollowing.current ? Math.max(0, view.count * ROW - scroll.height) : scroll.top;
  const { first, end, offset } = rowWindow(view.count, ROW, top, scroll.height);
  const rows: LoggedMessage[] = [];
  for (let index = first; index < end; index++) {
    const message = view.at(index);
    if (message !== undefined) rows.push(message);
  }
  return (
    <>
      <div class="wire-row wire-head" aria-hidden="true">
        <span>Time</span>
        <span />
        <span>Plugin</span>
        <span>Message</span>
        <span class="wire-id">Id</span>
        <span class="wire-took">Took</span>
        <span class="wire-size">Size</span>
        <span class="wire-text">Content</span>
      </div>
      <div
        class="wire-list"
        ref={place}
        tabIndex={0}
        role="listbox"
        aria-label="Messages"
        aria-activedescendant={chosen === undefined ? undefined : `message-${chosen}`}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isFollowing.current = scrollTop + clientHeight >= scrollHeight - ROW;
          setScroll({ top: scrollTop, height: clientHeight });
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[
            event.key
          ];
          if (by === undefined) return;
          event.preventDefault();
          onMove(by);
        }}
      >
        <div style={{ height: `${view.count * ROW}px` }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {rows.map((message, index) => (
              // By place and not by message: rows are filled anew instead of made anew.
              <Row key={index} message={message} isChosen={message.position === chosen} onChoose={onChoose} />
            ))}
          </div>
        </div>
      </div>
      {isFollowing.current ? null : (
        <button
          type="button"
          class="button newest"
          onClick={() => {
            isFollowing.current = true;
            const element = place.current;
            if (element !== null) element.scrollTop = element.scrollHeight;
          }}
        >
          Newest
        </button>
      )}
    </>
  );
}

function Row({
  message,
  isChosen,
  onChoose,
}: {
  readonly message: LoggedMessage;
  readonly isChosen: boolean;
  readonly onChoose: (position: number) => void;
}) {
  const isFromHost = message.from === 'host';
  return (
    <div
      id={`message-${message.position}`}
      class={`wire-row ${message.from} ${message.kind} ${isChosen ? 'is-chosen' : ''}`}
      role="option"
      aria-selected={isChosen}
      onClick={() => onChoose(message.position)}
    >
      <span class="wire-time">{clockTime(message.at)}</span>
      <span class="wire-way" title={isFromHost ? 'from the host' : 'from the plugin'}>
        {isFromHost ? '→' : '←'}
        <span class="unseen">{isFromHost ? 'from the host to ' : 'from '}</span>
      </span>
      <span class="wire-plugin">{message.plugin}</span>
      <span class="wire-name">
        {message.kind === 'failure' || message.kind === 'invalid' ? <Icon name="warning" /> : null}
        {nameOf(message)}
      </span>
      <span class="wire-id">{message.id === undefined ? '' : String(message.id)}</span>
      <span class="wire-took">{message.latencyMs === undefined ? '' : shortDuration(message.latencyMs)}</span>
      <span class="wire-size">{message.size === 0 ? '' : shortSize(message.size)}</span>
      <span class="wire-text">
        {message.text === undefined ? '' : visible(message.text.slice(0, GLIMPSE))}
      </span>
    </div>
  );
}
