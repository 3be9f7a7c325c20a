// The frame around the pages.
import { useEffect } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { useHost } from '../state/host-context.ts';
import { linkTo } from '../state/route.ts';
import { Banner } from './banner.tsx';
import { Help } from './help.tsx';
import { listenToKeys } from './listen-to-keys.ts';
import { Login } from './login.tsx';
import { Navigation } from './navigation.tsx';
import { NoticeBar } from './notice-bar.tsx';
import type { Theme } from './theme.ts';
import { Tray } from './tray.tsx';

export function App({
  theme,
  isHelpOpen,
}: {
  readonly theme: Signal<Theme>;
  readonly isHelpOpen: Signal<boolean>;
}) {
  const host = useHost();
  const page = shownPage(host.route.value.page);
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
      }),
    [isHelpOpen],
  );
  const waiting = pages.reduce((sum, { badge }) => sum + (badge?.(host) ?? 0), 0);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page.title} · pluglot`;
  }, [waiting, page]);
  if (host.session.value === 'out') return <Login />;
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusContent}>
        To the content
      </button>
      <Navigation current={page} theme={theme} isHelpOpen={isHelpOpen} />
      <Banner />
      <page.View key={page.path} />
      <Tray />
      <NoticeBar />
      <Help page={page} isOpen={isHelpOpen} />
    </div>
  );
}

function focusContent(): void {
  document.getElementById('main')?.focus();
}

function shownPage(path: string): Page {
  return pages.find((page) => page.path === path) ?? pages[0];
}
