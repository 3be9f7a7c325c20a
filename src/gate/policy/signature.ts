// A call in one line: what patterns are held against, and what people are shown.
import type { Json } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { jsonText } from '../../base/shown.ts';
import type { Subject } from './policy.ts';
import { defaultShellTools, type ShellTools, shellUseOf } from './shell-tools.ts';

/** For a tool that runs a command line that one, with its args; for others `name(key=value, …)`, by key. */
export function signatureOf(subject: Subject, shellTools: ShellTools = defaultShellTools): string {
  const use = shellUseOf(subject, shellTools);
  if (use?.line) return [use.line.command, ...use.line.args.map(shellWord)].join(' ');
  return subject.name + argumentsText(subject);
}

/** `(key=value, …)`, by key. */
export function argumentsText({ args }: Pick<Subject, 'args'>): string {
  const entries = Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1));
  return `(${entries.map(([key, value]) => `${written(key)}=${written(value)}`).join(', ')})`;
}

/** A text that could be taken for something else, such as a further argument, is in quotes. */
function written(value: Json | undefined): string {
  return typeof value === 'string' && isPlain(value) ? value : jsonText(value);
}

function isPlain(text: string): boolean {
  return (
    /^[\p{L}\p{N}\p{M}_@%+:./~*?!#$&;<>^|[\]{}-][^,()="'\\\p{C}\p{Z}]*$/u.test(text) &&
    !/^(?:true|false|null|-?\d.*)$/.test(text)
  );
}
