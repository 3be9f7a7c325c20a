// The order of a list while somebody looks at it: what changes its state does not change its place, so that nothing moves away under a
// pointer. Who comes later stands at the end.
import type { PluginView } from '../../api/types.ts';
import { inOrderOfNeed } from './facts.ts';

export class StableOrder {
  readonly #places = new Map<string, number>();

  of(plugins: readonly PluginView[]): PluginView[] {
    for (const { name } of inOrderOfNeed(plugins))
      if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
    return plugins.toSorted((one, other) => this.#placeOf(one) - this.#placeOf(other));
  }

  #placeOf({ name }: PluginView): number {
    return this.#places.get(name) ?? 0;
  }
}
