// The events of a runtime. A plugin with thousands of calls is reported once a second.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import type { PluginView, RuntimeEvent } from '../api.ts';

const TICK_MS = 1000;

export class EventHub {
  readonly #clock: Clock;
  readonly #find: (plugin: string) => PluginView | undefined;
  readonly #events = new Emitter<RuntimeEvent>();
  readonly #busy = new Set<string>();
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, find: (plugin: string) => PluginView | undefined) {
    this.#clock = clock;
    this.#find = find;
  }

  get isHeard(): boolean {
    return this.#events.isHeard;
  }

  add(listener: (event: RuntimeEvent) => void): () => void {
    return this.#events.add(listener);
  }

  emit(event: RuntimeEvent): void {
    this.#events.emit(event);
  }

  /** It has changed: reported at once. */
  pluginChanged(name: string): void {
    if (!this.isHeard) return;
    this.#busy.delete(name);
    const plugin = this.#find(name);
    this.emit(plugin === undefined ? { kind: 'plugin-removed', name } : { kind: 'plugin', plugin });
  }

  /** It is at work: reported soon. */
  pluginBusy(name: string): void {
    if (!this.isHeard || this.#busy.has(name)) return;
    this.#busy.add(name);
    this.#callOff ??= this.#clock.after(TICK_MS, () => this.#tick());
  }

  close(): void {
    this.#callOff?.();
  }

  #tick(): void {
    this.#callOff = undefined;
    for (const name of this.#busy) this.pluginChanged(name);
  }
}
