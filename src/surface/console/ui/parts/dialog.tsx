// A dialog that is there while it is shown; Escape and a press beside it close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

export function Dialog({
  title,
  name,
  onClose,
  children,
}: {
  readonly title: string;
  /** Its class. */
  readonly name?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // What is around its content is the dialog itself.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="stack dialog-content">
        <div class="row nowrap">
          <h2>{title}</h2>
          <button
            type="button"
            class="button plain icon-only push"
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
