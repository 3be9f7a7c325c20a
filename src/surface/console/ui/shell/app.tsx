// The frame around the pages: navigation, banner, running activities, notices and the list of keys.
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { longDuration } from '../lib/format.ts';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.tsx';
import { Button, IconButton } from '../parts/buttons.tsx';
import { Icon } from '../parts/icon.tsx';
import { Dialog } from '../parts/layout.tsx';
import { linkTo } from '../state/address.ts';
import { useHost } from '../state/host.ts';
import { listenToKeys } from './keys.ts';
import { Login } from './login.tsx';
import { Navigation, type Theme } from './navigation.tsx';

export function App({
  theme,
  isHelpOpen,
}: {
  readonly theme: Signal<Theme>;
  readonly isHelpOpen: Signal<boolean>;
}) {
  const host = useHost();
  const page = pages.find(({ path }) => path === host.route.value.page) ?? pages[0];
  useEffect(
    () =>
      listenToKeys(document, {
        go: (letter) => {
          const next = pages.find(({ key }) => key === letter);
          if (next === undefined) return;
          location.hash = linkTo(next.path);
          requestAnimationFrame(focusContent);
        },
        help: () => (isHelpOpen.value = true),
        page: (key, isTyping) => host.keyHandlers.toReversed().some((handle) => handle(key, isTyping)),
      }),
    [host, isHelpOpen],
  );
  const waiting = pages.reduce((sum, { badge }) => sum + (badge?.(host) ?? 0), 0);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page.title} · pluglot`;
  }, [waiting, page]);
  if (host.session.value === 'out') return <Login />;
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to content
      </button>
      <Navigation current={page} theme={theme} isHelpOpen={isHelpOpen} />
      <Banner />
      <page.View key={page.path} />
      <Activities />
      <NoticeBar />
      {isHelpOpen.value ? <Help page={page} onClose={() => (isHelpOpen.value = false)} /> : null}
    </div>
  );
}

function focusContent(): void {
  document.getElementById('main')?.focus();
}

/** Shown while the host cannot be reached. */
function Banner() {
  const host = useHost();
  const isLost = host.connection.value === 'lost';
  return (
    <div role="status" class={isLost ? 'banner' : 'unseen'}>
      {isLost ? (
        <>
          <Icon name="offline" />
          <span>
            The host does not respond. This page shows the last known state and reconnects by itself.
          </span>
          <Button look="plain" class="push" onClick={() => host.reconnect()}>
            Try now
          </Button>
        </>
      ) : null}
    </div>
  );
}

const ACTIVITIES_SHOWN = 6;

/** Calls and conversations of pages that are not shown. */
function Activities() {
  const host = useHost();
  const { page, rest } = host.route.value;
  const here = linkTo(page, ...rest);
  const elsewhere = host.activity.all.value.filter(({ href }) => href !== here);
  if (elsewhere.length === 0) return null;
  return (
    <section class="tray" aria-label="Running">
      <ul>
        {elsewhere.slice(-ACTIVITIES_SHOWN).map((one) => (
          <li key={one.key}>
            <span class="spinner" aria-hidden="true" />
            <a href={one.href}>{one.label}</a>
            <span class="faint number">{longDuration(host.now.value - one.startedAt)}</span>
            <IconButton
              icon="close"
              label={`${one.endLabel} ${one.label}`}
              title={one.endLabel}
              onClick={() => one.end()}
            />
          </li>
        ))}
        {elsewhere.length > ACTIVITIES_SHOWN ? (
          <li class="faint">{elsewhere.length - ACTIVITIES_SHOWN} more</li>
        ) : null}
      </ul>
    </section>
  );
}

/** The result of an action, for some seconds. */
function NoticeBar() {
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

type Keys = readonly (readonly [keys: string, meaning: string])[];

const everywhere: Keys = [
  ['/', 'Search'],
  ['Enter', 'In the search field: open the first match'],
  ['↓ ↑', 'Next or previous row; also j and k'],
  ['Enter', 'Open'],
  ['Esc', 'Close the detail view, or leave the field'],
  ['?', 'Show this list'],
];

/** Keys of the page that is shown come before those of other pages. */
function Help({ page, onClose }: { readonly page: Page; readonly onClose: () => void }) {
  const others = pages.filter((one) => one !== page);
  return (
    <Dialog title="Keys" name="help" onClose={onClose}>
      <div class="help-parts">
        <KeyList title="Everywhere" keys={everywhere} />
        <KeyList title="Pages" keys={pages.map(({ key, title }) => [`g ${key}`, title])} />
        {[page, ...others].map(({ title, path, keys }) =>
          keys === undefined ? null : <KeyList key={path} title={title} keys={keys} />,
        )}
      </div>
    </Dialog>
  );
}

function KeyList({ title, keys }: { readonly title: string; readonly keys: Keys }) {
  return (
    <section class="stack">
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map(([names, meaning]) => (
          <div key={`${names} ${meaning}`}>
            <dt>
              {names.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
