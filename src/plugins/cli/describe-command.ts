// A command for the person who is asked whether it may run.
import { shellWord } from '../../base/shell-word.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { readCommandLine } from '../../gate/policy/shell/command-line.ts';
import type { commandInput } from './run-command.ts';

/** The whole of it, as it would be typed: what is not seen cannot be approved. */
export async function describeCommand({
  command,
  args = [],
  cwd,
  timeout,
  background,
}: FromSchema<typeof commandInput>): Promise<CallDescription> {
  const line = await readCommandLine(command, args);
  const text = [command, ...args.map(shellWord)].join(' ');
  const facts = [
    line.kind === 'argv' ? 'Without a shell.' : 'In bash.',
    ...(line.kind === 'unreadable' ? [`It was not understood: ${line.reason}.`] : []),
    ...(cwd === undefined ? [] : [`In the folder ${shellWord(cwd)}.`]),
    ...(timeout === undefined ? [] : [`For up to ${timeout} s.`]),
    ...(background === true ? ['In the background.'] : []),
  ].join(' ');
  const isOneLine = text.length <= LINE_MAX && !/[\r\n]/.test(text);
  if (isOneLine) return { summary: `Run: ${text}`, details: facts };
  return { summary: `Run a command of ${text.length} characters`, details: `${facts}\n${text}` };
}

const LINE_MAX = 200;
