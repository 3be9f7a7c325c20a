// What starts the processes of plugins and sees that none of them outlives the host. One per host.
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { ContainmentMode } from './containment.ts';
import type { Program, Running, SpawnOptions } from './spawn.ts';

export interface Launcher {
  /**
   * Starts one process of a plugin whose start is a program: interpreter found, small environment, own TMPDIR and data folder.
   * @throws PluglotError PROGRAM_NOT_FOUND; CONFIG_INVALID when the spec refers to something that is not there; START_FAILED when
   *   the system has no room for a process more; PLUGIN_STOPPED when the launcher is closed; NOT_TRUSTED when a pinned file is another
   */
  launch(spec: PluginSpec, options?: LaunchOptions): Promise<Running>;
  /** How processes are kept from outliving the host. */
  containment(): Promise<ContainmentMode>;
  /** Whether a program is in the PATH that the plugin gets. */
  hasCommand(spec: PluginSpec, command: string): boolean;
  /** Values that nobody may see: those that the spec holds or refers to, as they are now, and those of the host. @default unknown */
  secretsOf?(spec: PluginSpec): readonly string[];
  /** Ends what is left of all processes that were launched. */
  close(): Promise<void>;
}

interface LaunchOptions extends SpawnOptions {
  /** Files that are run, which have to be just these. Where processes have a namespace, what they see is what was compared. */
  readonly pinned?: readonly PinnedFile[];
}

export interface PinnedFile {
  /** Canonical. */
  readonly file: string;
  readonly sha256: string;
}

/** What starts programs that are no plugins too. */
export interface ProgramLauncher extends Launcher {
  /** Resolves when programs can be started that do not outlive the host, whatever happens to it; until then none can. */
  programs(): Promise<SpawnProgram>;
}

export type SpawnProgram = (program: Program, options?: SpawnOptions) => Running;
