// Tools as they were when they were last listed. Their plugins may be stopped by now.
import type { ToolView } from '../api/types.ts';

const SEEN_MAX = 5000;

export class SeenTools {
  /** The one seen last stands last. */
  readonly #tools = new Map<string, ToolView>();

  add(listed: readonly ToolView[]): void {
    for (const tool of listed) {
      this.#tools.delete(tool.name);
      this.#tools.set(tool.name, tool);
    }
    for (const name of this.#tools.keys()) {
      if (this.#tools.size <= SEEN_MAX) break;
      this.#tools.delete(name);
    }
  }

  of(name: string): ToolView | undefined {
    return this.#tools.get(name);
  }
}
