// The buttons of the page, and those that copy or download.
import type { ButtonHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { useHost } from '../state/host.ts';
import { Icon, type IconName } from './icon.tsx';

type ButtonProps = Omit<ButtonHTMLAttributes, 'class'> & {
  readonly icon?: IconName;
  readonly look?: 'primary' | 'danger' | 'plain' | undefined;
  /** Further classes. */
  readonly class?: string;
};

export function Button({ icon, look, class: more = '', children, ...attributes }: ButtonProps) {
  return (
    <button type="button" class={`button ${look ?? ''} ${more}`} {...attributes}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Shows an icon alone; the label is for screen readers and, unless there is a title, the tooltip. */
export function IconButton({
  label,
  class: more = '',
  ...attributes
}: ButtonProps & { readonly label: string }) {
  return <Button look="plain" class={`icon-only ${more}`} title={label} aria-label={label} {...attributes} />;
}

interface CopyProps {
  readonly text: string | (() => string);
  readonly label?: string;
  /** The main button of a dialog: with a label, and focused. */
  readonly isMain?: boolean;
}

export function CopyButton({ text, label = 'Copy', isMain = false }: CopyProps) {
  const host = useHost();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await host.attempt(() => copyText(typeof text === 'string' ? text : text())))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const shown = { icon: isCopied ? 'check' : 'copy', onClick: () => void copy() } as const;
  const caption = isCopied ? 'Copied' : label;
  if (!isMain) return <IconButton {...shown} label={caption} />;
  return (
    <Button {...shown} look="primary" autofocus>
      {caption}
    </Button>
  );
}

async function copyText(text: string): Promise<void> {
  // Browsers offer no clipboard to pages of another machine without encryption.
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
  if (!isDone) throw new Error('The browser did not allow copying. Select the text and copy it by hand.');
}

/** A command line with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy command" />
    </div>
  );
}

interface DownloadProps {
  readonly name: string;
  /** Called on click. */
  readonly content: () => BlobPart;
  readonly label?: string;
}

export function DownloadButton({ name, content, label = `Download ${name}` }: DownloadProps) {
  const host = useHost();
  const save = () => void host.attempt(async () => download(name, content()));
  return <IconButton icon="download" label={label} onClick={save} />;
}

/** As untyped bytes, so that no browser opens it as a page of this origin. */
export function download(name: string, ...content: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(content, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
