// A call with everything that rules look at, found out once.
import type { SandboxMissing } from '../../sandbox/sandbox.ts';
import type { Subject } from '../policy.ts';
import type { ForbiddenTexts } from './forbidden-text.ts';
import type { LineReading } from '../shell/read-line.ts';
import type { ShellUse } from '../shell-tools.ts';

export interface PolicyCall {
  readonly subject: Subject;
  /** Its values, for rules that forbid. */
  readonly texts: ForbiddenTexts;
  /** For a tool that runs a command line. */
  readonly shell?: ShellCall;
}

export interface ShellCall {
  /** All of it in one line. */
  readonly signature: string;
  readonly use: ShellUse;
  readonly reading: LineReading;
  /** It is to run outside of the folder that rules for commands are meant for: what git does depends on where it is. */
  readonly isElsewhere: boolean;
  /** Why commands cannot be confined here; undefined where they can be. */
  readonly missing: SandboxMissing | undefined;
  /** Commands on the list of those that only read which need no sandbox, since all they read lies in the project. */
  readonly plainReads: ReadonlySet<readonly string[]>;
}
