// What somebody has begun with each tool: arguments half filled in, a call under way, its result. It is kept while other pages are shown,
// for so many tools, and results for fewer of them, since they can be large.
import { signal, type Signal } from '@preact/signals';
import type { Value } from '../../schema/value.ts';
import type { RunningCall } from '../../state/running-call.ts';

export interface ToolWork {
  readonly draft: Signal<ToolDraft>;
  readonly call: Signal<RunningCall | undefined>;
}

export interface ToolDraft {
  readonly value: Value;
  /** The JSON as it was typed, while it is that and no form. */
  readonly text?: string;
  readonly tab: 'form' | 'json' | 'schema';
}

const WORKS_MAX = 60;
const RESULTS_MAX = 12;

export class ToolDesk {
  /** The one looked at last stands last. */
  readonly #works = new Map<string, ToolWork>();

  of(tool: string, initial: () => Value): ToolWork {
    const known = this.#works.get(tool);
    const work = known ?? { draft: signal<ToolDraft>({ value: initial(), tab: 'form' }), call: signal() };
    this.#works.delete(tool);
    this.#works.set(tool, work);
    if (known === undefined) this.#tidy();
    return work;
  }

  /** What goes on or has ended there, without making anything of it. */
  callOf(tool: string): RunningCall | undefined {
    return this.#works.get(tool)?.call.value;
  }

  begin(work: ToolWork, call: RunningCall): void {
    work.call.value = call;
    this.#tidy();
  }

  #tidy(): void {
    // What still runs is never forgotten: it could not be ended any more.
    const idle = [...this.#works].filter(([, { call }]) => call.value?.state.peek().status !== 'running');
    for (const [tool] of idle.slice(0, Math.max(0, this.#works.size - WORKS_MAX))) this.#works.delete(tool);
    const ended = idle.filter(([, { call }]) => call.value !== undefined);
    for (const [, work] of ended.slice(0, Math.max(0, ended.length - RESULTS_MAX)))
      work.call.value = undefined;
  }
}
