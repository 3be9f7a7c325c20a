// What the command line may touch of the process; main.ts hands it in.

export interface Surroundings {
  readonly version: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
}
