// Text of plugins and models, in a frame that names its author, with invisible characters written out: it cannot pass for the page's own.
import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { diffLines, visible } from '../lib/text.ts';
import { Icon } from './icon.tsx';

export function Quoted({
  by,
  text,
  children,
}: {
  readonly by: string;
  readonly text?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <figure class="quoted">
      <figcaption>
        <Icon name="quote" />
        <span>{by}</span>
      </figcaption>
      {text === undefined ? children : <pre dir="ltr">{visible(text)}</pre>}
    </figure>
  );
}

export function Diff({ text }: { readonly text: string }) {
  const { lines, omitted } = diffLines(text);
  return (
    <div class="diff" dir="ltr">
      {lines.map(({ kind, text: line }, index) => (
        <span key={index} class={kind}>
          {kind === 'added' ? (
            <span class="unseen">added: </span>
          ) : kind === 'removed' ? (
            <span class="unseen">removed: </span>
          ) : null}
          {visible(line)}
        </span>
      ))}
      {omitted > 0 ? <span class="place">… {omitted} more lines</span> : null}
    </div>
  );
}

export function MarkdownView({ text }: { readonly text: string }) {
  const [read, setRead] = useState<{ nodes: (text: string) => ComponentChild[] }>();
  useEffect(() => {
    // Without the host it cannot be loaded; the plain text stays.
    import('./markdown.tsx').then(
      ({ markdownNodes }) => setRead({ nodes: markdownNodes }),
      () => {},
    );
  }, []);
  const shown = useMemo(() => read?.nodes(visible(text)), [read, text]);
  return <div class="markdown">{shown ?? <pre>{visible(text)}</pre>}</div>;
}
