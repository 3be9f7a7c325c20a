// What was found of permissions.json files, and how much of each counts.
import type { Problem } from '../../../fleet/discovery/problem.ts';
import type { PermissionsFile } from './permissions-file.ts';

export interface Permissions {
  /** The project's, or the one that was named, before the user's own. */
  readonly sources: readonly PermissionSource[];
  readonly problems: readonly Problem[];
}

export interface PermissionSource {
  readonly file: string;
  /** Whether it may loosen. One that is not trusted may only tighten. */
  readonly trusted: boolean;
  /** Where relative folders of it start. */
  readonly folder: string;
  /** Undefined when it cannot be used; then `broken` says why, and everything but what a person types is denied. */
  readonly content?: PermissionsFile;
  readonly broken?: string;
}
