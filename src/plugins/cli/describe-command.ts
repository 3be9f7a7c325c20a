// A command for the person who is asked whether it may run.
import { shellWord } from '../../base/shell-word.ts';
import { sentence } from '../../base/sentence.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { readLine } from '../../gate/policy/shell/read-line.ts';
import type { commandInput } from './run-command.ts';

/** The whole of it, as it would be typed: what is not seen cannot be approved. */
export function describeCommand({
  command,
  args = [],
  cwd,
  timeout,
  background,
}: FromSchema<typeof commandInput>): CallDescription {
  const reading = readLine(command, args);
  const text = [command, ...args.map(shellWord)].join(' ');
  const facts = [
    'It runs in bash, outside of the sandbox, with all that you may do on this machine.',
    ...(reading.kind === 'other' ? [sentence(`No rule can allow it, since it ${reading.reason}`)] : []),
    ...(cwd === undefined ? [] : [`In the folder ${shellWord(cwd)}.`]),
    ...(timeout === undefined ? [] : [`For up to ${timeout} s.`]),
    ...(background === true ? ['In the background.'] : []),
  ].join(' ');
  const isOneLine = text.length <= LINE_MAX && !/[\r\n]/.test(text);
  if (isOneLine) return { summary: `Run: ${text}`, details: facts };
  return { summary: `Run a command of ${text.length} characters`, details: `${facts}\n${text}` };
}

const LINE_MAX = 200;
