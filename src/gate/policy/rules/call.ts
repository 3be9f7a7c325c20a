// A call with everything that rules look at, found out once.
import type { Subject } from '../policy.ts';
import type { ShellUse } from '../shell-tools.ts';
import type { ShellReading } from '../shell/shell-command.ts';

export interface PolicyCall {
  readonly subject: Subject;
  /** For a tool that runs a command line. */
  readonly shell?: {
    /** All of it in one line. */
    readonly signature: string;
    readonly use: ShellUse;
    readonly reading: ShellReading;
    /** It is to run outside of the folder that rules for commands are meant for: what git does depends on where it is. */
    readonly isElsewhere: boolean;
  };
}
