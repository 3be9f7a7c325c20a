// What the shell needs to know of a page, and the frame that each page has.
import type { ComponentChildren, ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { Host } from '../state/host.ts';

export interface Page {
  /** In the address. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** After `g`. */
  readonly key: string;
  readonly View: ComponentType;
  /** How many things wait for the user. */
  readonly badge?: (host: Host) => number;
  /** Keys of its own, for the help. */
  readonly keys?: readonly (readonly [keys: string, meaning: string])[];
}

interface PageFrameProps {
  readonly title: string;
  readonly sub?: ComponentChildren;
  readonly controls?: ComponentChildren;
  /** The content scrolls in parts of its own. */
  readonly isFixed?: boolean;
  readonly children: ComponentChildren;
}

export function PageFrame({ title, sub, controls, isFixed = false, children }: PageFrameProps) {
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
