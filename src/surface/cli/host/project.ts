// What the files of a project say, and the fleet that follows them: an `up` lives for days, and files change meanwhile.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../../base/error.ts';
import { sentences } from '../../../base/sentence.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import type { Discovery, Found } from '../../../fleet/discovery/discover.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { PluginStatus } from '../../../fleet/plugin/status.ts';
import { refusalOf } from './refusals.ts';

export interface Project {
  /** The last look. */
  readonly discovery: Discovery;
  /** All that was found at the last look, also what may not be started. */
  readonly found: readonly Found[];
  readonly problems: readonly Problem[];
  /**
   * Reads the files again. What is new or newly trusted comes into the fleet and is returned; what is gone leaves it, unless it is at work.
   * Those that run go on as they were started.
   */
  look(): Promise<readonly Plugin[]>;
  /** Whether the files say it otherwise now, and it may be started so. */
  isOther(plugin: Plugin): boolean;
  /** Whether it is not to run any more. */
  isGone(name: string): boolean;
  /** What the files say of it now that it does not follow, with the way out. */
  changeOf(plugin: Plugin): string | undefined;
  /**
   * Puts it into the fleet as the files say now; false when it is there as they say.
   * @throws PluglotError NOT_TRUSTED or UNKNOWN_PLUGIN when that may not be run; it is then as it was
   */
  renew(name: string): Promise<boolean>;
}

export interface ProjectParts {
  readonly fleet: Fleet;
  readonly read: () => Promise<Discovery>;
  /** Gets for each plugin the check that goes with the files its spec was read from: those of another look may be others. */
  readonly checks: Map<string, Discovery['checkAgain']>;
}

export async function openProject({ fleet, read, checks }: ProjectParts): Promise<Project> {
  let discovery = await read();
  let specs = await specsOf(discovery);
  const foundOf = (name: string) => discovery.plugins.find(({ spec }) => spec.name === name);
  const put = (spec: PluginSpec) => {
    checks.set(spec.name, discovery.checkAgain);
    return fleet.add(spec);
  };
  for (const spec of specs.values()) put(spec);

  /** One after the other, each with what stands in the files when it begins. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  /** Where something cannot be read, what is missing may stand just there. */
  const unreadOf = (name: string) => {
    const errors = discovery.problems.filter(({ severity }) => severity === 'error');
    return errors.find(({ plugin }) => plugin === name) ?? errors[0];
  };
  const isGone = (name: string) => {
    const one = foundOf(name);
    return one === undefined ? unreadOf(name) === undefined : one.disabled !== undefined;
  };
  return {
    get discovery() {
      return discovery;
    },
    get found() {
      return discovery.plugins;
    },
    get problems() {
      return discovery.problems;
    },
    look: () =>
      inTurn(async () => {
        const next = await read();
        specs = await specsOf(next);
        discovery = next;
        const idle = fleet.plugins.filter(({ status }) => !isAtWork(status));
        await Promise.all(idle.filter(({ name }) => isGone(name)).map(({ name }) => fleet.remove(name)));
        const present = new Set(fleet.plugins.map(({ name }) => name));
        for (const { name, spec } of fleet.plugins)
          if (isDeepStrictEqual(specs.get(name), spec)) checks.set(name, next.checkAgain);
        return [...specs.values()].filter(({ name }) => !present.has(name)).map(put);
      }),
    isGone,
    isOther: ({ name, spec }) => specs.has(name) && !isDeepStrictEqual(specs.get(name), spec),
    changeOf({ name, spec }) {
      const one = foundOf(name);
      const stop = `\`pluglot stop ${name}\` ends it.`;
      const unread = one === undefined ? unreadOf(name) : undefined;
      if (unread !== undefined) return `What is configured for it cannot be read: ${describeProblem(unread)}`;
      if (one === undefined) return `It is not configured any more. ${stop}`;
      if (one.disabled !== undefined) return `It is disabled now. ${stop}`;
      if (!one.trust.trusted)
        return `It is not started again: ${sentences(one.trust.reason, one.trust.wayOut)}`;
      if (isDeepStrictEqual(specs.get(name), spec)) return undefined;
      return `It is configured otherwise since it was started. \`pluglot restart ${name}\` applies that.`;
    },
    renew: (name) =>
      inTurn(async () => {
        const spec = specs.get(name);
        if (spec === undefined) throw refused(name, foundOf(name), unreadOf(name));
        if (isDeepStrictEqual(spec, fleet.plugin(name).spec)) return false;
        await fleet.remove(name);
        put(spec);
        return true;
      }),
  };
}

/** Somebody waits for it, or is in a conversation with it. */
export function isAtWork({ running, waiting, isTalking }: PluginStatus): boolean {
  return running + waiting > 0 || isTalking;
}

/** Of all that may be started. */
async function specsOf({ plugins }: Discovery): Promise<ReadonlyMap<string, PluginSpec>> {
  const usable = plugins.filter((one) => refusalOf(one) === undefined);
  const specs = await Promise.all(usable.map(({ spec }) => withManifestBeside(spec)));
  return new Map(specs.map((spec) => [spec.name, spec]));
}

function refused(name: string, found: Found | undefined, unread: Problem | undefined): PluglotError {
  const refusal = found && refusalOf(found);
  if (refusal !== undefined) return refusal;
  if (unread !== undefined) return new PluglotError('CONFIG_INVALID', describeProblem(unread));
  return new PluglotError(
    'UNKNOWN_PLUGIN',
    `Plugin "${name}" is not configured any more. \`pluglot stop ${name}\` ends it.`,
  );
}
