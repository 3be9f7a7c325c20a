// Hands something to the person who looks, as a file.
import { useHost } from '../state/host-context.ts';
import { Icon } from './icon.tsx';

export function DownloadButton({
  name,
  content,
  label = `Download ${name}`,
  isSmall = true,
}: {
  readonly name: string;
  /** Made when it is wanted. */
  readonly content: () => BlobPart;
  readonly label?: string;
  readonly isSmall?: boolean;
}) {
  const host = useHost();
  return (
    <button
      type="button"
      class={`button plain ${isSmall ? 'icon-only' : ''}`}
      title={label}
      aria-label={label}
      onClick={() => void host.attempt(async () => download(name, content()))}
    >
      <Icon name="download" />
      {isSmall ? null : label}
    </button>
  );
}

/** As bytes of no kind, so that no browser opens it as a page of this origin. */
export function download(name: string, ...content: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(content, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
