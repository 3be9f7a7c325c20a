// What is seen of the wires of a fleet: the last messages, as pages and as a cassette.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import {
  CASSETTE_VERSION,
  type CassetteHeader,
  type CassetteMessage,
} from '../../fleet/recording/cassette.ts';
import { Traffic, type TrafficEntry, type TrafficLimits } from '../../fleet/recording/traffic.ts';
import type { TrafficFilter, TrafficPage } from '../api.ts';
import { shownCommand } from './shown-command.ts';

const PAGE = 1000;
const PAGE_MAX = 20_000;

export class Wires {
  readonly #traffic: Traffic | undefined;

  /** Without limits nobody looks. */
  constructor(clock: Clock, secrets: Secrets, limits: TrafficLimits | undefined) {
    this.#traffic = limits && new Traffic(clock, secrets, limits);
  }

  /** Messages of processes that are started before somebody looks cannot be seen. */
  get isOn(): boolean {
    return this.#traffic !== undefined;
  }

  follow(plugin: Plugin): void {
    const traffic = this.#traffic;
    if (traffic === undefined) return;
    plugin.observe((direction, message, mark) => traffic.record(plugin.name, direction, message, mark));
  }

  since(seq: number, { plugin, call, trace, limit = PAGE }: TrafficFilter = {}): TrafficPage {
    const fitting = (this.#traffic?.since(seq) ?? []).filter(
      (entry) =>
        (plugin === undefined || entry.plugin === plugin) &&
        (call === undefined || entry.call === call) &&
        (trace === undefined || entry.trace === trace),
    );
    return {
      entries: fitting.slice(0, Math.min(Math.max(1, limit), PAGE_MAX)),
      last: this.#traffic?.count ?? 0,
    };
  }

  onEntry(listener: (entry: TrafficEntry) => void): () => void {
    return this.#traffic?.onEntry(listener) ?? (() => {});
  }

  /** Messages that were not kept in full are left out. */
  cassette(plugin: Plugin, now: Date): string {
    const { manifest, spec, name } = plugin;
    const dialect = manifest?.dialect ?? spec.dialect;
    if (dialect === undefined)
      throw new PluglotError(
        'UNAVAILABLE',
        `Plugin "${name}" has not said yet which dialect it speaks. Start it first.`,
      );
    const { entries } = this.since(0, { plugin: name, limit: PAGE_MAX });
    const first = entries[0]?.at ?? now.getTime();
    const header: CassetteHeader = {
      cassette: CASSETTE_VERSION,
      plugin: name,
      dialect,
      recordedAt: new Date(first).toISOString(),
      command: shownCommand(spec.start),
    };
    const lines: unknown[] = [header];
    for (const entry of entries) {
      const message = messageOf(entry);
      if (message === undefined) continue;
      const at = Math.max(0, Math.round((entry.at - first) * 1000) / 1000);
      lines.push({ at, from: entry.from, message } satisfies CassetteMessage);
    }
    return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  }
}

function messageOf({ text, size }: TrafficEntry): Json | undefined {
  if (text === undefined || text.length < size) return undefined;
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}
