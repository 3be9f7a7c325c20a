// What is seen of the wires of a fleet: the last messages, as pages and as a cassette.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import {
  CASSETTE_VERSION,
  type CassetteHeader,
  type CassetteMessage,
} from '../../fleet/recording/cassette.ts';
import { createRecorder, type Recorder } from '../../fleet/recording/recorder.ts';
import { Traffic, type TrafficEntry, type TrafficLimits } from '../../fleet/recording/traffic.ts';
import type { RecordingView, TrafficFilter, TrafficPage } from '../api.ts';

const PAGE = 1000;
const PAGE_MAX = 20_000;

export class Wires {
  readonly #traffic: Traffic | undefined;

  /** Without limits nothing is kept. */
  constructor(clock: Clock, secrets: Secrets, limits: TrafficLimits | undefined) {
    this.#traffic = limits && new Traffic(clock, secrets, limits);
  }

  /** Messages of processes that were started before cannot be seen. */
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
    const { dialect, spec, name } = plugin;
    if (dialect === undefined)
      throw new PluglotError('UNAVAILABLE', `Plugin "${name}" has no known dialect yet. Start it first.`);
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

/** Each holds a file open. */
const RECORDINGS_MAX = 32;

interface Recording {
  readonly view: Omit<RecordingView, 'messages'>;
  readonly recorder: Recorder;
  messages: number;
  end(): void;
}

export class Recordings {
  readonly #folder: string;
  readonly #secrets: Pick<Secrets, 'mask'>;
  readonly #isLive: () => boolean;
  readonly #all = new Map<string, Recording>();
  #opening = 0;

  /** `isLive`: whether messages of processes that run already are seen. */
  constructor(folder: string, secrets: Pick<Secrets, 'mask'>, isLive: () => boolean) {
    this.#folder = folder;
    this.#secrets = secrets;
    this.#isLive = isLive;
  }

  list(): readonly RecordingView[] {
    return [...this.#all.values()].map(viewOf);
  }

  async start(plugin: Plugin, name: string | undefined): Promise<RecordingView> {
    if (this.#all.size + this.#opening >= RECORDINGS_MAX)
      throw new PluglotError('TOO_MANY_CALLS', `${RECORDINGS_MAX} recordings go on already. End one first.`);
    this.#opening += 1;
    try {
      return await this.#open(plugin, name);
    } finally {
      this.#opening -= 1;
    }
  }

  async stop(id: string): Promise<RecordingView> {
    const recording = this.#all.get(id);
    if (recording === undefined)
      throw new PluglotError('NOT_FOUND', `There is no recording "${id.slice(0, 100)}" that goes on.`);
    this.#all.delete(id);
    recording.end();
    const { messages } = await recording.recorder.close();
    return { ...viewOf(recording), messages };
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.keys()].map((id) => this.stop(id)));
  }

  async #open(plugin: Plugin, given: string | undefined): Promise<RecordingView> {
    const { dialect } = plugin;
    if (dialect === undefined)
      throw new PluglotError(
        'UNAVAILABLE',
        `Plugin "${plugin.name}" has no known dialect yet. Start it first.`,
      );
    const startedAt = Date.now();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, fileNameOf(given, plugin.name, startedAt));
    const recorder = await createRecorder({
      file,
      header: { plugin: plugin.name, dialect, command: shownCommand(plugin.spec.start) },
      secrets: this.#secrets,
    });
    const recording: Recording = {
      view: {
        id: randomBytes(9).toString('base64url'),
        plugin: plugin.name,
        file,
        startedAt,
        isLive: this.#isLive(),
      },
      recorder,
      messages: 0,
      end: () => {
        unobserve();
        unfollow();
      },
    };
    const unobserve = plugin.observe((direction, message) => {
      recording.messages += 1;
      recorder.observer(direction, message);
    });
    const unfollow = plugin.onEvent((event) => {
      if (event.kind === 'state-changed' && event.state === 'starting') recorder.started();
    });
    this.#all.set(recording.view.id, recording);
    return viewOf(recording);
  }
}

function viewOf({ view, messages }: Recording): RecordingView {
  return { ...view, messages };
}

/** A name of a file, never a path. */
function fileNameOf(given: string | undefined, plugin: string, at: number): string {
  if (given === undefined)
    return `${plugin.replaceAll(/[^\w@-]/g, '_').slice(0, 80)}-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
  if (/^[\w][\w.@-]{0,99}$/.test(given)) return given.endsWith('.jsonl') ? given : `${given}.jsonl`;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    '"file" is the name of a file in the folder of recordings: letters, digits, dots and dashes, at most 100.',
  );
}

export function shownCommand(start: PluginSpec['start']): string {
  if (start.kind === 'http') return maskedEntry({ url: start.shown ?? start.url }).url ?? '';
  const { command, args = [], shown } = start;
  const [program, ...words] = shown ?? [command, ...args];
  return [program, ...(maskedEntry({ args: words }).args ?? [])].join(' ');
}

/** Its manifest repeats the configuration that it was started with. */
export function withoutSecrets(manifest: Manifest): Manifest {
  const { configApplied: applied } = manifest;
  if (applied === undefined) return manifest;
  return { ...manifest, configApplied: maskedEntry({ config: { applied } }).config?.['applied'] ?? null };
}
