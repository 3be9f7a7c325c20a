// What the frame has to know of a page.
import type { ComponentType } from 'preact';
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
  /** How many things wait there for somebody. */
  readonly badge?: (host: Host) => number;
  /** Keys of its own, for the help. */
  readonly keys?: readonly (readonly [keys: string, meaning: string])[];
}
