// Under which names a rule may know a tool.
import { jsonText } from '../../../base/shown.ts';
import type { Subject } from '../policy.ts';

/**
 * A rule that allows names the one that is meant: as it is exposed, or with its plugin. What a plugin calls its tool must not make it
 * another's: `gh__read` of a plugin "evil" is no tool of "gh", and `git pull` is no command.
 */
export function allowingNames({ name, plugin, ownName }: Subject): readonly string[] {
  const full = `${plugin}__${quoted(ownName)}`;
  return name === ownName && name.includes('__') ? [full] : [quoted(name), full];
}

/** One that forbids holds for every tool of that name: a second plugin must not free the first by making both names longer. */
export function forbiddingNames({ name, plugin, ownName }: Subject): readonly string[] {
  return [name, `${plugin}__${ownName}`, ownName];
}

/** What looks like a command, or like a call with arguments, is held against rules in quotes. */
function quoted(name: string): string {
  return /^[^\s\p{C}(),="'`\\]+$/u.test(name) ? name : jsonText(name);
}
