// The list of messages. Only visible rows are drawn, and it follows the newest message until the user scrolls up.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clockTime, shortDuration, shortSize } from '../../lib/format.ts';
import { visible } from '../../lib/text.ts';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host.ts';
import { nameOf, type LoggedMessage } from './traffic-log.ts';

/** As in the style sheet: in a narrow list a message takes two lines. */
const [ROW, TALL_ROW, TALL_BELOW] = [26, 44, 560];

interface ListProps {
  readonly chosen: number | undefined;
  readonly onChoose: (position: number) => void;
  readonly onMove: (by: number) => void;
}

export function MessageList({ chosen, onChoose, onMove }: ListProps) {
  const { traffic: store } = useHost();
  const version = store.version.value;
  const { view } = store;
  const place = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const forgotten = useRef(0);
  const [scroll, setScroll] = useState({ top: 0, height: 600, width: 1000 });
  const row = scroll.width < TALL_BELOW ? TALL_ROW : ROW;

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    // Scrolling needs the row height, which depends on the width.
    setScroll(scrollOf(element));
    const observer = new ResizeObserver(() => setScroll(scrollOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    if (isFollowing.current) element.scrollTop = view.count * row;
    // The visible rows stay in place while older messages are dropped.
    else if (view.forgotten > forgotten.current)
      element.scrollTop -= (view.forgotten - forgotten.current) * row;
    forgotten.current = view.forgotten;
  }, [version, view, row, scroll.height]);

  useLayoutEffect(() => {
    const element = place.current;
    const index = chosen === undefined ? -1 : view.indexOf(chosen);
    if (element === null || index < 0) return;
    // New messages must not scroll the chosen one away.
    isFollowing.current = false;
    element.scrollTop = scrolledTo(index, row, element.scrollTop, element.clientHeight);
  }, [chosen, view, row]);

  const top = isFollowing.current ? Math.max(0, view.count * row - scroll.height) : scroll.top;
  const { first, end, offset } = rowWindow(view.count, row, top, scroll.height);
  const rows: LoggedMessage[] = [];
  for (let index = first; index < end; index++) {
    const message = view.at(index);
    if (message !== undefined) rows.push(message);
  }
  const isAway = !isFollowing.current && view.count * row > scroll.height + row;
  return (
    <>
      <div class="wire-row wire-head" aria-hidden="true">
        <span class="wire-time">Time</span>
        <span class="wire-way" />
        <span class="wire-plugin">Plugin</span>
        <span class="wire-name">Message</span>
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
        onScroll={({ currentTarget }) => {
          const { scrollTop, clientHeight } = currentTarget;
          isFollowing.current = scrollTop + clientHeight >= (view.count - 1) * row;
          setScroll(scrollOf(currentTarget));
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[
            event.key
          ];
          if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          onMove(by);
        }}
      >
        <div style={{ height: `${view.count * row}px` }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {rows.map((message, index) => (
              // Keyed by place, so that elements are reused while scrolling.
              <MessageRow
                key={index}
                message={message}
                isChosen={message.position === chosen}
                onChoose={onChoose}
              />
            ))}
          </div>
        </div>
      </div>
      {isAway ? (
        <button
          type="button"
          class="newest"
          onClick={() => {
            isFollowing.current = true;
            const element = place.current;
            if (element !== null) element.scrollTop = element.scrollHeight;
          }}
        >
          <Icon name="chevron" /> Newest
        </button>
      ) : null}
    </>
  );
}

function scrollOf({ scrollTop, clientHeight, clientWidth }: HTMLElement) {
  return { top: scrollTop, height: clientHeight, width: clientWidth };
}

interface RowWindow {
  readonly first: number;
  /** After the last. */
  readonly end: number;
  /** Of the first row, from the top of the list. */
  readonly offset: number;
}

/** Drawn above and below the visible rows, so that a small scroll shows no gap. */
const SPARE_ROWS = 6;

/** The rows to draw. All have one height, so a position is a multiplication. */
export function rowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const seen = Math.ceil(height / rowHeight) + 1;
  const wanted = Math.floor(scrollTop / rowHeight) - SPARE_ROWS;
  const first = Math.max(0, Math.min(wanted, count - seen - SPARE_ROWS));
  const end = Math.min(count, Math.max(0, wanted) + seen + 2 * SPARE_ROWS);
  return { first, end: Math.max(first, end), offset: first * rowHeight };
}

/** The scroll position that shows the row. */
export function scrolledTo(row: number, rowHeight: number, scrollTop: number, height: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}

const PREVIEW_MAX = 240;

interface RowProps {
  readonly message: LoggedMessage;
  readonly isChosen: boolean;
  readonly onChoose: (position: number) => void;
}

function MessageRow({ message, isChosen, onChoose }: RowProps) {
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
      <span class="wire-id">{message.id === undefined ? '' : shortId(String(message.id))}</span>
      <span class="wire-took">{message.latencyMs === undefined ? '' : shortDuration(message.latencyMs)}</span>
      <span class="wire-size">{message.size === 0 ? '' : shortSize(message.size)}</span>
      <span class="wire-text">
        {message.text === undefined ? '' : visible(message.text.slice(0, PREVIEW_MAX))}
      </span>
    </div>
  );
}

const ID_MAX = 7;

/** The end of a long id, where counters differ. */
function shortId(id: string): string {
  return id.length <= ID_MAX ? id : `…${id.slice(1 - ID_MAX)}`;
}
