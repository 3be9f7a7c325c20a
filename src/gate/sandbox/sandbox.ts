// Runs programs where they reach only what they are shown. The port; find-sandbox.ts finds what works here.
import type { Program } from '../../fleet/supervisor/spawn.ts';

export type Access = 'read-only' | 'writable';

/** A folder with all below it, or a file. */
interface ShownFolder {
  /** Absolute. */
  readonly path: string;
  readonly access: Access;
  /** It was made for the program: no file in it means anything to others. @default false */
  readonly isOwn?: boolean;
}

/** A file or folder of the program itself. */
export interface OwnFile {
  /** Absolute, as it is configured: with the links on the way. */
  readonly path: string;
  /** Whether what it loads from beside it is shown as well: its folder, or the one above that is its package. */
  readonly withPackage: boolean;
}

export interface Confinement {
  /** The absolute folder that the program works on. It is not the home folder, a system folder, or one above those. */
  readonly workspace: string;
  /** Files that configure git and pluglot are never writable. */
  readonly access: Access;
  readonly network: boolean;
  /** Further folders and files that are visible. The home folder is hidden otherwise. */
  readonly folders?: readonly ShownFolder[];
  /** Where the program itself is: shown read-only, but for what the folders above show. */
  readonly ownFiles?: readonly OwnFile[];
  /**
   * Whether git can commit, too, where the workspace is writable. What it changes is taken over when the program is gone.
   * @default as the workspace
   */
  readonly repository?: Access;
  /** @default DEFAULT_LIMITS */
  readonly limits?: Partial<Limits>;
}

/** For all that one program starts, itself included. */
export interface Limits {
  readonly memoryBytes: number;
  /** Threads count, too. */
  readonly processes: number;
}

export const DEFAULT_LIMITS: Limits = { memoryBytes: 4 * 1024 ** 3, processes: 512 };

export interface Sandbox {
  readonly kind: 'bubblewrap' | 'sandbox-exec';
  /** Which limits hold on this machine. */
  readonly limits: Readonly<Record<keyof Limits, boolean>>;
  /**
   * The same program, inside. Its command is an absolute path; it works in the workspace or below, or in a further folder.
   * @throws PluglotError CONFIG_INVALID when the folders cannot be shown
   */
  confine(program: Program, confinement: Confinement): Program;
}

export interface SandboxMissing {
  /** Why no program can be confined here. */
  readonly missing: string;
  /** How to change that. */
  readonly fix: string;
}

/** What pluglot reads and keeps. All paths are absolute; none of them has to exist. */
export interface OwnPlaces {
  /** Files with rules and configuration: no confined program changes, creates, replaces or renames them. */
  readonly kept: readonly string[];
  /** Folders in which pluglot keeps things or takes answers: no confined program sees them, even below a folder that it is shown. */
  readonly hidden: readonly string[];
  /** The same for single files. */
  readonly hiddenFiles: readonly string[];
}

export interface SandboxHost {
  /** The environment of the host: PATH, and which folders hold secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /**
   * Folders that confined programs can write to, by the configuration of now: no program from there is run by the host, and no link or
   * script in them decides what is shown. @default none
   */
  writable?(): readonly string[];
  /** Asked for at every start, since the configuration may have changed. */
  own(): OwnPlaces;
  /** @default that of this process */
  readonly platform?: NodeJS.Platform;
}
