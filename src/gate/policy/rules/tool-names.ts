// Under which names a rule may know a tool.
import type { Subject } from '../policy.ts';

/** A rule that allows names the one that is meant: as it is exposed, or with its plugin. */
export function allowingNames({ name, plugin, ownName }: Subject): readonly string[] {
  return [name, `${plugin}__${ownName}`];
}

/** One that forbids holds for every tool of that name: a second plugin must not free the first by making both names longer. */
export function forbiddingNames(subject: Subject): readonly string[] {
  return [...allowingNames(subject), subject.ownName];
}
