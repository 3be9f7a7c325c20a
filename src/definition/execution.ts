// How a command line may run, as the gate of this process has decided it.

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
