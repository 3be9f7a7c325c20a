// What a command line would do, as far as that can be read: what rules are held against.
import type { ShellWord } from './words.ts';

export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  /** Why it is not known what it does; then rules may forbid it, but not allow it. */
  readonly unreadable: readonly string[];
}

/** Something that is done. For a file that a redirection opens, the words are `>` or `<` and its name. */
export interface ShellCommand {
  readonly kind: 'command' | 'write' | 'read';
  /** `NAME=value` before the command, or standing alone. */
  readonly assignments: readonly ShellWord[];
  /** The name first; none where there are assignments alone. */
  readonly words: readonly ShellWord[];
  /** What it runs in its turn: `timeout 5 git status` runs `git status`. */
  readonly inner: readonly ShellCommand[];
}

export type Outer = Pick<ShellCommand, 'words' | 'assignments'>;

/** Reads what a shell is to run within a command: `sh -c TEXT`, `eval TEXT`. */
export type ReadText = (text: string, shell: 'sh' | 'bash', depth: number) => ShellReading;

export function unread(reason: string): ShellReading {
  return { commands: [], unreadable: [reason] };
}

/** All commands, those that others run included. */
export function flattened(commands: readonly ShellCommand[]): ShellCommand[] {
  return commands.flatMap((one) => [one, ...flattened(one.inner)]);
}

/** Rules and tables name programs without their folder. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
