// The messages that fit, of which only those in sight are drawn. It follows the newest until somebody scrolls away.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowWindow, scrolledTo } from '../../lib/row-window.ts';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import { MessageRow } from './message-row.tsx';
import type { LoggedMessage } from './traffic-log.ts';

/** As the style sheet has them: in a narrow list a message takes two lines. */
const [ROW, TALL_ROW, TALL_BELOW] = [26, 44, 560];

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
  const [scroll, setScroll] = useState({ top: 0, height: 600, width: 1000 });
  const row = scroll.width < TALL_BELOW ? TALL_ROW : ROW;

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    // How high a row is has to be known before anything is scrolled.
    setScroll(scrollOf(element));
    const observer = new ResizeObserver(() => setScroll(scrollOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    if (isFollowing.current) element.scrollTop = view.count * row;
    // What is looked at stays where it is while older messages go.
    else if (view.forgotten > forgotten.current)
      element.scrollTop -= (view.forgotten - forgotten.current) * row;
    forgotten.current = view.forgotten;
  }, [version, view, row, scroll.height]);

  useLayoutEffect(() => {
    const element = place.current;
    const index = chosen === undefined ? -1 : view.indexOf(chosen);
    if (element === null || index < 0) return;
    // It may scroll away from under whoever reads it.
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
              // By place and not by message: rows are filled anew instead of made anew.
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
          <Icon name="chevron" /> To the newest
        </button>
      ) : null}
    </>
  );
}

function scrollOf({ scrollTop, clientHeight, clientWidth }: HTMLElement) {
  return { top: scrollTop, height: clientHeight, width: clientWidth };
}
