// Starts the processes of plugins and ensures that none outlives the host. One per host.
import { stat } from 'node:fs/promises';
import { PluglotError, toError } from '../../base/error.ts';
import { shellWord } from '../../base/text.ts';
import { MiB } from '../../base/units.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { hashFile, identityOf } from '../trust/files.ts';
import type { CheckedFile, ContainmentMode } from './containment.ts';
import type { Exit, Program, Running, SpawnOptions } from './spawn.ts';

export interface Launcher {
  /**
   * Starts one process of a plugin whose start is a program: interpreter found, small environment, own TMPDIR and data folder.
   * @throws PluglotError PROGRAM_NOT_FOUND; CONFIG_INVALID when a reference of the spec is missing; START_FAILED when the system cannot
   *   start more processes; PLUGIN_STOPPED when the launcher is closed; NOT_TRUSTED when a pinned file has changed
   */
  launch(spec: PluginSpec, options?: LaunchOptions): Promise<Running>;
  /** How processes are kept from outliving the host. */
  containment(): Promise<ContainmentMode>;
  /** Whether a program is in the PATH that the plugin gets. */
  hasCommand(spec: PluginSpec, command: string): boolean;
  /** The current secrets: those that the spec contains or refers to, and those of the host. @default unknown */
  secretsOf?(spec: PluginSpec): readonly string[];
  /** Ends all launched processes. */
  close(): Promise<void>;
}

interface LaunchOptions extends SpawnOptions {
  /** Files that are run and must match. Where processes have a namespace, they see the compared bytes. */
  readonly pinned?: readonly PinnedFile[];
}

export interface PinnedFile {
  /** Canonical. */
  readonly file: string;
  readonly sha256: string;
}

/** Also starts programs that are not plugins. */
export interface ProgramLauncher extends Launcher {
  /** Resolves when programs can be started that cannot outlive the host. */
  programs(): Promise<SpawnProgram>;
}

export type SpawnProgram = (program: Program, options?: SpawnOptions) => Running;

// The exit of a process as an error.

export function exitError(spec: PluginSpec, exit: Exit | undefined, failure?: unknown): PluglotError {
  const who = `Plugin "${spec.name}"`;
  if (exit === undefined) {
    const why = failure === undefined ? '.' : `: ${toError(failure).message}`;
    return new PluglotError('PLUGIN_EXITED', `The connection to plugin "${spec.name}" is over${why}`);
  }
  const { stderr } = exit;
  if (exit.kind === 'not-started')
    return new PluglotError('PROGRAM_NOT_FOUND', `${who} could not be started: ${exit.error.message}`, {
      cause: exit.error,
      stderr,
    });
  const how =
    exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by the signal ${exit.signal}`;
  return new PluglotError('PLUGIN_EXITED', `${who} ${how}.`, { stderr });
}

/** Whether the failure only says that the connection ended; the exit of the process gives the reason. */
export function broken(failure: unknown): boolean {
  return failure instanceof PluglotError && isBreak(failure.code);
}

export function isBreak(code: string): boolean {
  return code === 'PIPE_ENDED' || code === 'PEER_CLOSED';
}

// The reason of an exit for display: it contains messages and output of the plugin.

/** The same error if it contains no secret; otherwise a masked one without its cause, which has the same text. */
export function shownError(error: PluglotError, secrets: Pick<Secrets, 'mask' | 'maskKnown'>): PluglotError {
  const message = secrets.maskKnown(error.message);
  const stderr = error.stderr && secrets.mask(error.stderr, 'piece');
  return message === error.message && stderr === error.stderr
    ? error
    : new PluglotError(error.code, message, { stderr });
}

// Trusted files that are run: read and compared before the start, checked again after it.

/** The bytes of larger files are not kept; only their identity is compared. */
const KEPT_MAX = 64 * MiB;

export interface ReadFiles {
  /** Their bytes, as they were compared with the pins. */
  readonly checked: readonly CheckedFile[];
  /**
   * A program that replaces a file and restores it changes the ctime, which only the system can set.
   * @throws PluglotError NOT_TRUSTED when a file changed since it was read
   */
  confirm(): Promise<void>;
}

/** @throws PluglotError NOT_TRUSTED when a file differs from the trusted one */
export async function readPinned(
  plugin: string,
  pinned: readonly PinnedFile[],
  areShown: boolean,
): Promise<ReadFiles> {
  const checked: CheckedFile[] = [];
  const identities = new Map<string, string>();
  for (const { file, sha256 } of pinned) {
    const read = await hashFile(file, areShown ? KEPT_MAX : 0);
    if (read.kind !== 'read' || read.sha256 !== sha256) throw changed(plugin, file);
    identities.set(file, read.identity);
    if (areShown && read.bytes !== undefined) checked.push({ file, bytes: read.bytes, mode: read.mode });
  }
  return {
    checked,
    async confirm() {
      for (const [file, identity] of identities) {
        const now = await stat(file, { bigint: true }).catch(() => undefined);
        if (now === undefined || identityOf(now) !== identity) throw changed(plugin, file);
      }
    },
  };
}

function changed(plugin: string, file: string): PluglotError {
  return new PluglotError(
    'NOT_TRUSTED',
    `Plugin "${plugin}" may not be run: "${file}" was changed while it was started. Read it, then: pluglot trust add ${shellWord(file)}`,
  );
}
