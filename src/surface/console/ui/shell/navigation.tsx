// The links to the pages, the theme switch and the button for help.
import { effect, signal, type Signal } from '@preact/signals';
import icon from '../icon.svg';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.tsx';
import { Button, IconButton } from '../parts/buttons.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../state/address.ts';
import { useHost } from '../state/host.ts';

interface NavigationProps {
  readonly current: Page;
  readonly theme: Signal<Theme>;
  readonly isHelpOpen: Signal<boolean>;
}

export function Navigation({ current, theme, isHelpOpen }: NavigationProps) {
  const host = useHost();
  const { icon: themeIcon, label } = themes[theme.value];
  const next = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system';
  return (
    <aside class="side">
      <div class="brand">
        <img src={icon} alt="" />
        <span>pluglot</span>
      </div>
      <nav class="links" aria-label="Pages">
        {pages.map((page) => {
          const count = page.badge?.(host) ?? 0;
          return (
            <a
              key={page.path}
              href={linkTo(page.path)}
              aria-current={page === current ? 'page' : undefined}
              title={`${page.title} (g ${page.key})`}
            >
              <Icon name={page.icon} />
              <span>{page.title}</span>
              {count > 0 ? (
                <span class="badge">
                  {count}
                  <span class="unseen"> waiting</span>
                </span>
              ) : null}
            </a>
          );
        })}
      </nav>
      <div class="foot">
        <div class="row">
          <Button
            look="plain"
            icon={themeIcon}
            aria-label={`Theme: ${theme.value}. Change to ${next}`}
            title={`Theme: ${theme.value}`}
            onClick={() => (theme.value = next)}
          >
            <span class="keyboard">{label}</span>
          </Button>
          <IconButton
            icon="help"
            label="Keys (?)"
            class="keyboard"
            onClick={() => (isHelpOpen.value = true)}
          />
        </div>
      </div>
    </aside>
  );
}

export type Theme = 'system' | 'light' | 'dark';

const themes = {
  system: { icon: 'system', label: 'Auto' },
  light: { icon: 'sun', label: 'Light' },
  dark: { icon: 'moon', label: 'Dark' },
} as const;
const order: readonly Theme[] = ['system', 'light', 'dark'];
const THEME_KEY = 'pluglot-theme';

/** The user's choice, saved in the browser where that is allowed. */
export function themeOf(window: Window): Signal<Theme> {
  const theme = signal<Theme>(savedTheme(window));
  effect(() => {
    const { documentElement } = window.document;
    if (theme.value === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = theme.value;
    try {
      window.localStorage.setItem(THEME_KEY, theme.value);
    } catch {
      // It lasts until the page is closed.
    }
  });
  return theme;
}

function savedTheme(window: Window): Theme {
  try {
    const value = window.localStorage.getItem(THEME_KEY);
    return order.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system';
  }
}
