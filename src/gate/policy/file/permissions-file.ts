// permissions.json as it is written; schemas/permissions.schema.json is the same for editors.
import type { Problem } from '../../../fleet/discovery/problem.ts';
import type { DefaultPolicy } from '../policy.ts';

export interface PermissionsFile {
  readonly version?: string | number;
  readonly defaultPolicy?: DefaultPolicy;
  /** Calls and command lines, as `pluglot deny` writes them. */
  readonly deny?: readonly (string | LineRule)[];
  readonly allow?: readonly AllowRule[];
  /** The same as `deny` and `allow`, by kind: the words of the original format. */
  readonly blacklist?: Rules;
  readonly whitelist?: Rules;
  readonly classes?: { readonly readOnly?: ToolClass; readonly destructive?: ToolClass };
  readonly shellTools?: Readonly<Record<string, ShellTool>>;
  readonly channel?: Channel;
  readonly sanitization?: Sanitization;
}

/** For command lines alone: it never names a tool. */
interface LineRule {
  readonly rule: string;
}

/** The long form also sets how command lines of the rule may run. */
export type AllowRule =
  | string
  | (LineRule & {
      /** Outside of the sandbox. @default false */
      readonly unsandboxed?: boolean;
      /** @default false */
      readonly network?: boolean;
      /** Further folders that they see in the sandbox, each with what they may do there. */
      readonly folders?: Readonly<Record<string, 'read-only' | 'writable'>>;
    });

export interface Rules {
  /** Names of tools; `*` and `?` as in patterns. */
  readonly tools?: readonly string[];
  /** Of commands, or of calls such as `delete_file(path=*)`. */
  readonly patterns?: readonly string[];
  /** By tool and argument: its values, as text. */
  readonly arguments?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface ToolClass extends Pick<Rules, 'tools' | 'patterns'> {
  /** @default allow for what only reads, ask for what destroys */
  readonly policy?: DefaultPolicy;
}

/** In which of its arguments a tool takes a command line. */
export interface ShellTool {
  readonly command: string;
  readonly args?: string;
  readonly cwd?: string;
}

/** Who is asked. Words and units of the original: `timeout` and `poll_interval` are seconds. */
interface Channel {
  readonly type?: 'console' | 'webhook' | 'queue' | 'file';
  readonly endpoint?: string;
  readonly timeout?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth_token?: string;
  readonly base_path?: string;
  readonly poll_interval?: number;
}

/** Where the block is present, every check is on unless it is switched off. */
export interface Sanitization {
  readonly enabled?: boolean;
  readonly block_shell_metacharacters?: boolean;
  readonly block_dangerous_commands?: boolean;
  readonly allowed_dangerous_commands?: readonly string[];
  readonly custom_blocked_commands?: readonly string[];
  readonly path_scope?: PathScope;
}

export interface PathScope {
  readonly enabled?: boolean;
  /** Relative ones start at the project's folder. */
  readonly allowed_roots?: readonly string[];
  readonly block_absolute?: boolean;
  readonly block_parent_traversal?: boolean;
  readonly allow_home?: boolean;
  /** Which arguments of other tools are paths. */
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
}

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
  /** Undefined when it cannot be used; then `broken` is the reason, and everything but what a person types is denied. */
  readonly content?: PermissionsFile;
  readonly broken?: string;
}
