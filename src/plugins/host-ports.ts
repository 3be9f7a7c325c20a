// What the host gives to the built-in plugins. Each takes the smallest part of it.
import type { Program, Running, SpawnOptions } from '../fleet/supervisor/spawn.ts';
import type { ResolvedTool } from '../fleet/registry/contract.ts';
import type { Gate } from '../gate/gate.ts';
import type { Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import type { TerminalPort } from '../outside/terminal.ts';
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
   * Whether a file of the project may decide what a model reads or what leaves this machine: false until the user has trusted its content.
   * `sha256` is that of the bytes that were read, so that the file cannot be exchanged in between.
   */
  isTrusted(file: string, sha256: string): Promise<boolean>;
  /** The MCP servers of the fleet, as `fleetServers` makes them; made with the fleet, so they are looked up when needed. */
  readonly mcpServers?: () => McpServers;
  /** The person at the terminal; undefined where no person can be asked. Texts for it must be printable. */
  readonly person: TerminalPort | undefined;
  /** Prints for a person, apart from what tools answer. */
  print(line: string): void;
}
