// A page: its title, what can be done with all of it, and its content.
import type { ComponentChildren } from 'preact';

export function PageFrame({
  title,
  sub,
  controls,
  isFixed = false,
  children,
}: {
  readonly title: string;
  readonly sub?: ComponentChildren;
  readonly controls?: ComponentChildren;
  /** The content has its own places that scroll. */
  readonly isFixed?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <main class="main" id="main" tabIndex={-1}>
      <header class="head">
        <h1>{title}</h1>
        {sub === undefined ? null : <span class="sub">{sub}</span>}
        {controls === undefined ? null : <div class="row push">{controls}</div>}
      </header>
      <div class={isFixed ? 'body fixed' : 'body'}>{children}</div>
    </main>
  );
}
