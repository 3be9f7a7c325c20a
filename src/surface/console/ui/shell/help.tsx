// The keys: those of everywhere, then those of the pages, the one that is shown first.
import type { Signal } from '@preact/signals';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { Dialog } from '../parts/dialog.tsx';

type Keys = readonly (readonly [keys: string, meaning: string])[];

const everywhere: Keys = [
  ['/', 'Search'],
  ['Enter', 'In the search: open what was found first'],
  ['↓ ↑', 'Next, previous in the list; j and k too'],
  ['Enter', 'Open'],
  ['Esc', 'Back: out of what is open, or out of the field'],
  ['?', 'This list'],
];

export function Help({ page, isOpen }: { readonly page: Page; readonly isOpen: Signal<boolean> }) {
  if (!isOpen.value) return null;
  const others = pages.filter((one) => one !== page);
  return (
    <Dialog title="Keys" name="help" onClose={() => (isOpen.value = false)}>
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
