// Who asks for a call. Rules, approvals, limits and the audit go by it.
import type { Json, JsonObject } from '../base/json.ts';

export interface Caller {
  /**
   * `user`: a person, at a terminal of ours, over the Unix socket or in the console. `program`: code that embeds this host.
   * `client`: a program with a bearer token, or over MCP.
   */
  readonly kind: 'user' | 'program' | 'model' | 'job' | 'client';
  /**
   * Which one of its kind, such as the name that an MCP client gives itself. It is the caller's own word.
   * @default the kind
   */
  readonly name?: string;
  /**
   * The name of the bearer token that it came with, never its secret: a field of a name that sounds like one would be masked in the audit.
   * The fields from here on are set by the host alone.
   */
  readonly access?: string;
  /** The id of that token. A name can be given to another token later, so what lasts is bound to the id. */
  readonly accessId?: string;
  /** The profile that it sees. */
  readonly profile?: string;
  /** It named the profile itself, by the address: its token opens others too, so limits count by the token. */
  readonly isProfileChosen?: boolean;
  /** The connection that it came by, where that lasts. */
  readonly connection?: string;
}

export const callerKinds: readonly Caller['kind'][] = ['user', 'program', 'model', 'job', 'client'];

/** The owner of this host, in person or by code of their own: only what the rules forbid is refused, and nothing is asked. */
export function isOwner({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'user' || kind === 'program';
}

/**
 * `sample`: a turn of their model. `elicit`: something of their user. `roots`: the folders they work in. Parameters and answers are those
 * of MCP, the one dialect that has words for it.
 */
export interface PluginQuestion {
  readonly kind: 'sample' | 'elicit' | 'roots';
  readonly params: JsonObject;
}

export interface Asker {
  /**
   * The signal fires when the plugin does not wait any more.
   * @throws PluglotError UNSUPPORTED when they cannot be asked that
   */
  ask(question: PluginQuestion, signal: AbortSignal): Promise<Json>;
}

export type Execution =
  /** A person has typed or approved it: in a shell as it stands, with all that the user may do. */
  | { readonly kind: 'as-written' }
  /** Rules allow it: exactly these words, without a shell. */
  | { readonly kind: 'words'; readonly steps: readonly ExecutionStep[] };

/** Programs connected by pipes. */
export interface ExecutionStep {
  /** When it runs, given how the step before it ended. */
  readonly after: ';' | '&&' | '||';
  readonly pipeline: readonly PermittedCommand[];
}

export interface PermittedCommand {
  /** The name of the program first. */
  readonly words: readonly string[];
  /** Further variables that it gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Undefined: outside of the sandbox. */
  readonly sandbox: CommandSandbox | undefined;
}

/** What a command may do from inside of the sandbox. */
export interface CommandSandbox {
  /** To the folder of the project. */
  readonly access: 'read-only' | 'writable';
  readonly network: boolean;
  /** Further folders that it sees, as they are written in the rule. */
  readonly folders: readonly { readonly path: string; readonly access: 'read-only' | 'writable' }[];
}
