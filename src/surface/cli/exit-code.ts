// What the command tells the shell. The numbers are a contract.

export const ExitCode = {
  ok: 0,
  /** The tool or task failed. */
  failed: 1,
  usage: 2,
  /** A plugin or protocol failed. */
  broken: 3,
  denied: 4,
  timeLimit: 124,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
