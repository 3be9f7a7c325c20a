// Copies a text, and says so.
import { useState } from 'preact/hooks';
import { useHost } from '../state/host-context.ts';
import { Icon } from './icon.tsx';

export function CopyButton({
  text,
  label = 'Copy',
  isMain = false,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  /** What is done here: with words, and first in the focus of a dialog. */
  readonly isMain?: boolean;
}) {
  const host = useHost();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const isDone = await host.attempt(() => copyText(typeof text === 'string' ? text : text()));
    if (!isDone) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const words = isCopied ? 'Copied' : label;
  return (
    <button
      type="button"
      class={`button ${isMain ? 'primary' : 'plain icon-only'}`}
      title={words}
      aria-label={words}
      autofocus={isMain}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isMain ? words : null}
    </button>
  );
}

async function copyText(text: string): Promise<void> {
  // Browsers have no clipboard for pages that come from another machine without encryption.
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (!isDone) throw new Error('This browser did not let the page copy. Select the text by hand.');
}

export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}
