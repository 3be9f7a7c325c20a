// Where one can go, and how the page is.
import type { Signal } from '@preact/signals';
import icon from '../icon.svg';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { Icon } from '../parts/icon.tsx';
import { useHost } from '../state/host-context.ts';
import { linkTo } from '../state/route.ts';
import { nextTheme, type Theme } from './theme.ts';

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function Navigation({
  current,
  theme,
  isHelpOpen,
}: {
  readonly current: Page;
  readonly theme: Signal<Theme>;
  readonly isHelpOpen: Signal<boolean>;
}) {
  const host = useHost();
  const next = nextTheme(theme.value);
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
          <button
            type="button"
            class="button plain"
            aria-label={`Colours: ${theme.value}. Change to ${next}`}
            title={`Colours: ${theme.value}`}
            onClick={() => (theme.value = next)}
          >
            <Icon name={themeIcons[theme.value]} />
            <span class="keyboard">
              {theme.value === 'system' ? 'Auto' : theme.value === 'light' ? 'Light' : 'Dark'}
            </span>
          </button>
          <button
            type="button"
            class="button plain icon-only keyboard"
            aria-label="Keys (?)"
            title="Keys (?)"
            onClick={() => (isHelpOpen.value = true)}
          >
            <Icon name="help" />
          </button>
        </div>
      </div>
    </aside>
  );
}
