// Conversations with plugins that are being written to cassettes in the state folder.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import { createRecorder, type Recorder } from '../../fleet/recording/recorder.ts';
import type { RecordingView } from '../api.ts';
import { shownCommand } from './shown-command.ts';

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

  /** `isLive`: whether processes that run already can be heard. */
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
    const dialect = plugin.manifest?.dialect ?? plugin.spec.dialect;
    if (dialect === undefined)
      throw new PluglotError(
        'UNAVAILABLE',
        `Plugin "${plugin.name}" has not said yet which dialect it speaks. Start it first.`,
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

/** Whoever asks names a file, never a place. */
function fileNameOf(given: string | undefined, plugin: string, at: number): string {
  if (given === undefined)
    return `${plugin.replaceAll(/[^\w@-]/g, '_').slice(0, 80)}-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
  if (/^[\w][\w.@-]{0,99}$/.test(given)) return given.endsWith('.jsonl') ? given : `${given}.jsonl`;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    '"file" is the name of a file in the folder of recordings: letters, digits, dots and dashes, at most 100.',
  );
}
