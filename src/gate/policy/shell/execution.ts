// How an allowed command line runs: as its exact words, each command confined as its rules say.
import { sentences } from '../../../base/sentence.ts';
import type { Execution } from '../../../definition/execution.ts';
import type { ShellCall } from '../rules/call.ts';
import type { Grant } from './command-pattern.ts';
import { readOnlyCommand } from './read-only.ts';

/** What a person has typed or approved. */
export const asWritten: Execution = { kind: 'as-written' };

/** In words, why it cannot run as the rules say: then it is asked about. */
export interface Blocked {
  readonly blocked: string;
}

/** Undefined for a tool of another plugin, which runs the line itself. */
export function executionOf(
  { reading, use, isElsewhere, missing, plainReads }: ShellCall,
  isConfined: boolean,
  grantOf: (words: readonly string[]) => Grant,
): Execution | Blocked | undefined {
  if (reading.kind === 'other') return { blocked: `It ${reading.reason}` };
  if (!use.isOurs) {
    const isFree = reading.steps.every(({ pipeline }) =>
      pipeline.every((words) => grantOf(words).isUnsandboxed),
    );
    return isFree || isConfined
      ? undefined
      : { blocked: 'Its plugin runs the command in a shell of its own and is not confined' };
  }
  if (isElsewhere) return { blocked: 'It is to run outside of the folder of the project' };
  let blocked: Blocked | undefined;
  const steps = reading.steps.map(({ after, pipeline }) => ({
    after,
    pipeline: pipeline.map((words) => {
      const { isUnsandboxed, isListed, access, network, folders } = grantOf(words);
      const listed = isListed ? readOnlyCommand(words) : undefined;
      const command = { words: listed?.words ?? words, ...(listed?.env && { env: listed.env }) };
      if (isUnsandboxed || (missing && isListed && plainReads.has(words)))
        return { ...command, sandbox: undefined };
      if (missing)
        blocked = {
          blocked: `Commands run in the sandbox, and there is none here: ${sentences(missing.missing, missing.fix)}`,
        };
      return { ...command, sandbox: { access, network, folders } };
    }),
  }));
  return blocked ?? { kind: 'words', steps };
}
