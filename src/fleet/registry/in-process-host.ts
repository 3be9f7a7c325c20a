// What plugins in this process get of the one that they run in.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { findInPath } from '../../base/search-path.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import type { Surroundings } from '../../definition/run/surroundings.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { dataFolderOf } from '../supervisor/folders.ts';
import { InProcessCalls } from './in-process-calls.ts';

export interface InProcessHost {
  readonly clock: Clock;
  readonly calls: InProcessCalls;
  /** All that holds for a plugin of these own limits. */
  limits(own: PluginLimits | undefined): InProcessLimits;
  surroundings(plugin: string): Surroundings;
}

export interface InProcessLimits {
  /** How long a call may take unless its tool or its caller says otherwise. @default 30,000 */
  readonly callMs: number;
  /** How long a conversation may take. @default 300,000 */
  readonly talkMs: number;
  /** How long a plugin may take to be loaded and set up. @default 30,000 */
  readonly startMs: number;
  /** The most that goes into a call and comes out of it, as JSON. @default 16 MiB */
  readonly messageBytes: number;
}

export interface InProcessOptions {
  readonly clock: Clock;
  /** Where programs are looked for that plugins require: PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where plugins keep what is theirs. */
  readonly stateFolder: string;
  readonly limits: InProcessLimits;
  /** For what is said beside answers. */
  readonly secrets: Secrets;
  nextCallId(): string;
  /** What a plugin says that belongs to no call. */
  log(plugin: string, entry: LogEntry): void;
}

export function inProcessHost(options: InProcessOptions): InProcessHost {
  const { clock, env, stateFolder, limits, secrets } = options;
  return {
    clock,
    calls: new InProcessCalls({ clock, secrets, nextCallId: () => options.nextCallId() }),
    limits: (own = {}) => ({
      callMs: own.callMs ?? limits.callMs,
      talkMs: own.talkMs ?? limits.talkMs,
      startMs: own.startMs ?? limits.startMs,
      messageBytes: own.messageBytes ?? limits.messageBytes,
    }),
    surroundings(plugin) {
      let made: string | undefined;
      return {
        clock,
        dataFolder() {
          made ??= makeFolder(dataFolderOf(stateFolder, plugin));
          return made;
        },
        hasCommand: (name) => findInPath(name, { path: env['PATH'] ?? '', cwd: '' }) !== undefined,
        readFile: (file) => readFile(file),
        log: (entry) => options.log(plugin, entry),
      };
    },
  };
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
