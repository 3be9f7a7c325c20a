// What the built-in plugins get of the host they run in. Each takes the smallest part of it.
import type { Program, Running, SpawnOptions } from '../fleet/supervisor/spawn.ts';
import type { Gate } from '../gate/gate.ts';

export interface HostPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the project. */
  readonly cwd: string;
  /** The folder of the user. */
  readonly home: string;
  /** The user's own configuration folder of pluglot. */
  readonly configFolder: string;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  /** Starts a program that does not outlive the host. */
  spawn(program: Program, options?: SpawnOptions): Running;
  /** The gate that all calls of this host pass; made after the plugins, so it is looked up when needed. */
  gate(): Gate;
  /** Lets a person choose; undefined where nobody can be asked. */
  readonly person: Person | undefined;
  /** Prints for a person, apart from what tools answer. */
  print(line: string): void;
}

/** Somebody at a terminal. */
export interface Person {
  /** One line of text, or undefined at the end of the input or when the signal fires. What is shown is printable and has several lines. */
  ask(shown: string, prompt: string, signal: AbortSignal): Promise<string | undefined>;
}
