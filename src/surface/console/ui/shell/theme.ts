// Light or dark: as the system says, unless somebody has chosen.
import { effect, signal, type Signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'pluglot-theme';
const order: readonly Theme[] = ['system', 'light', 'dark'];

export function themeOf(window: Window): Signal<Theme> {
  const theme = signal<Theme>(kept(window));
  effect(() => {
    const { documentElement } = window.document;
    if (theme.value === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = theme.value;
    try {
      window.localStorage.setItem(KEY, theme.value);
    } catch {
      // Then it holds for this visit.
    }
  });
  return theme;
}

export function nextTheme(theme: Theme): Theme {
  return order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
}

function kept(window: Window): Theme {
  try {
    const value = window.localStorage.getItem(KEY);
    return order.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system';
  }
}
