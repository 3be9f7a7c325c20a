// A call in one line: what patterns are held against, and what people are shown.
import type { Json, JsonObject } from '../../base/json.ts';
import { jsonText, shellWord } from '../../base/text.ts';
import { fullName } from '../../definition/plugin-spec.ts';
import type { ShellTool } from './file/permissions-file.ts';
import type { Subject } from './policy.ts';

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

export type ShellTools = ReadonlyMap<string, ShellTool>;

export const defaultShellTools: ShellTools = new Map([
  ['cli_based_tool', { command: 'command', args: 'args', cwd: 'cwd' }],
]);

/** A command line as a call gives it. */
export interface ShellUse {
  readonly tool: ShellTool;
  /** False for a tool that only has the name of one: rules for commands forbid it, but do not allow it. */
  readonly isMeant: boolean;
  /** It is that of the built-in plugin, which runs a line as it was decided; another tool gives it to a shell of its own. */
  readonly isOurs: boolean;
  /** Undefined when the arguments have another shape: what is run is unknown then. */
  readonly line: { readonly command: string; readonly args: readonly string[] } | undefined;
  readonly cwd: string | undefined;
}

export function shellUseOf(subject: Subject, tools: ShellTools): ShellUse | undefined {
  if (subject.kind !== 'tool') return undefined;
  const { plugin, ownName, isUnique } = subject;
  // What a plugin calls its tool must not make it another's: `sh__run` of a plugin "evil" is not a tool of "sh".
  const isBare = isUnique && !ownName.includes('__');
  const meant = [fullName(plugin, ownName), ...(isBare ? [ownName] : [])].find((one) => tools.has(one));
  const tool = tools.get(meant ?? ownName);
  if (!tool) return undefined;
  // A foreign program can name its tool as it likes; the owner's configuration states which of them is meant.
  const isConfigured = meant !== undefined && !defaultShellTools.has(meant);
  const isMeant =
    isConfigured || subject.origin === 'built-in' || (meant !== undefined && subject.origin !== 'process');
  const cwd = tool.cwd === undefined ? undefined : valueOf(subject.args, tool.cwd);
  return {
    tool,
    isMeant,
    isOurs: subject.origin === 'built-in' && plugin === 'cli',
    line: lineOf(subject.args, tool),
    cwd: typeof cwd === 'string' ? cwd : undefined,
  };
}

function lineOf(args: JsonObject, tool: ShellTool): ShellUse['line'] {
  const command = valueOf(args, tool.command);
  const words = tool.args === undefined ? [] : (valueOf(args, tool.args) ?? []);
  if (typeof command !== 'string' || !Array.isArray(words)) return undefined;
  const texts = words.filter((word) => typeof word === 'string');
  return texts.length === words.length ? { command, args: texts } : undefined;
}

function valueOf(args: JsonObject, key: string) {
  return Object.hasOwn(args, key) ? args[key] : undefined;
}
