// The keys, of everywhere and of the page that is shown.
import { useEffect, useRef } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { Icon } from '../parts/icon.tsx';

export function Help({ page, isOpen }: { readonly page: Page; readonly isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = isOpen.value;
  useEffect(() => {
    if (isShown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isShown]);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (isOpen.value = false)}>
      <div class="stack">
        <div class="row">
          <h2 id="help-title">Keys</h2>
          <button
            type="button"
            class="button plain icon-only push"
            aria-label="Close"
            onClick={() => (isOpen.value = false)}
          >
            <Icon name="close" />
          </button>
        </div>
        <KeyList
          keys={[
            ['/', 'Search'],
            ['j k', 'Next, previous'],
            ['Enter', 'Open'],
            ['Esc', 'Leave the field, then what is open'],
            ...pages.map(({ key, title }) => [`g ${key}`, title] as const),
            ['?', 'This list'],
          ]}
        />
        {page.keys === undefined ? null : (
          <>
            <h3>{page.title}</h3>
            <KeyList keys={page.keys} />
          </>
        )}
      </div>
    </dialog>
  );
}

function KeyList({ keys }: { readonly keys: readonly (readonly [keys: string, meaning: string])[] }) {
  return (
    <dl class="keys">
      {keys.map(([names, meaning]) => (
        <>
          <dt>
            {names.split(' ').map((name) => (
              <>
                <kbd>{name}</kbd>{' '}
              </>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </>
      ))}
    </dl>
  );
}
