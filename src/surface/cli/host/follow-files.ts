// A fleet that does what the files say now: new plugins start, those that are gone end, those that are configured otherwise start again.
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { isAtWork, type Project } from './project.ts';

/** What was done, and who is at work: they follow at the next look. */
export interface Followed {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly restarted: readonly string[];
  readonly waiting: readonly string[];
}

export interface FollowParts {
  readonly fleet: Fleet;
  readonly project: Project | undefined;
  /** Reads the files; starts what is new and ends what is gone. */
  readonly look: () => Promise<void>;
  readonly begin: (plugin: Plugin) => void;
  /** Those that somebody does not want to run. */
  readonly isResting: (plugin: string) => Promise<boolean>;
}

export async function followFiles({
  fleet,
  project,
  look,
  begin,
  isResting,
}: FollowParts): Promise<Followed> {
  const before = namesOf(fleet.plugins);
  await look();
  if (project === undefined) return { added: [], removed: [], restarted: [], waiting: [] };
  const after = namesOf(fleet.plugins);
  const renew = async ({ name }: Plugin) => {
    await project.renew(name);
    const renewed = fleet.plugins.find((plugin) => plugin.name === name);
    if (renewed !== undefined && !(await isResting(name))) begin(renewed);
  };
  const others = fleet.plugins.filter((plugin) => project.isOther(plugin));
  const [busy, idle] = [
    others.filter(({ status }) => isAtWork(status)),
    others.filter(({ status }) => !isAtWork(status)),
  ];
  await Promise.all(idle.map(renew));
  const gone = fleet.plugins.filter(({ name }) => project.isGone(name));
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
    restarted: namesOf(idle),
    waiting: namesOf([...busy, ...gone]),
  };
}

function namesOf(plugins: readonly Plugin[]): string[] {
  return plugins.map(({ name }) => name);
}
