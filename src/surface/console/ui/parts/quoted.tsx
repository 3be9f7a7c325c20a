// Words of a plugin or of a model, in a frame that says so. What is hidden in them is made visible: they cannot look like the page's own.
import type { ComponentChildren } from 'preact';
import { diffLines } from '../lib/diff-lines.ts';
import { visible } from '../lib/visible.ts';
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
