// What a command line would run, as far as that can be known without running it.

export interface ShellAnalysis {
  /** Every command that could be run: of chains, pipes, substitutions, loops, functions, and those that other commands would run. */
  readonly commands: readonly ShellCommand[];
  readonly redirections: readonly Redirection[];
  /** Why more could be run than is listed here, in sentences. Not empty: it can be asked about, never allowed by a rule. */
  readonly unsure: readonly string[];
}

export interface ShellCommand {
  /** Undefined where it is only known when it runs, as in `$CMD`. */
  readonly program: string | undefined;
  /** All words, the program first; undefined where a word is only known when it runs. */
  readonly words: readonly (string | undefined)[];
  /** Variables that are set for it, such as PATH in `PATH=. ls`. */
  readonly assignments: readonly string[];
  /** As it stands in the command line. */
  readonly text: string;
}

export interface Redirection {
  readonly kind: 'read' | 'write' | 'append';
  /** Undefined where it is only known when it runs. */
  readonly target: string | undefined;
}
