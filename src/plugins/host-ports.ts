// What the built-in plugins get of the host they run in. Each takes the smallest part of it.
import type { Program, Running, SpawnOptions } from '../fleet/supervisor/spawn.ts';
import type { ResolvedTool } from '../fleet/registry/resolved.ts';
import type { Gate } from '../gate/gate.ts';
import type { Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import type { McpServers } from './mcp/servers.ts';

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
  /** What programs can be confined with here; looked for once. */
  sandbox(): Promise<Sandbox | SandboxMissing>;
  /** Folders that confined programs can write to, that of the project included. */
  writableFolders(): readonly string[];
  /** The gate that all calls of this host pass; made after the plugins, so it is looked up when needed. */
  gate(): Gate;
  /** The tool that is exposed under this name, and whose it is. */
  findTool(name: string): Pick<ResolvedTool, 'plugin' | 'tool'> | undefined;
  /**
   * Whether a file of the project may decide what a model is told or what leaves this machine: false until the user has trusted it as it
   * is. `sha256` is that of the bytes that were read, so that nobody can exchange the file in between.
   */
  isTrusted(file: string, sha256: string): Promise<boolean>;
  /** The MCP servers of the fleet, as `fleetServers` makes them; made with the fleet, so they are looked up when needed. */
  readonly mcpServers?: () => McpServers;
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
