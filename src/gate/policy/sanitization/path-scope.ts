// Where a path leads, and whether that is inside of the folders that are allowed. Symbolic links are followed as they are now.
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { canonical, isInside } from '../../../fleet/trust/containment.ts';
import type { PathScope } from '../file/permissions-file.ts';
import { target } from './target.ts';

export interface Scope {
  /** Why the path is outside; undefined when it is not. */
  check(given: string): Promise<string | undefined>;
  /** The same, where it is a path only when there is something that is called so. */
  checkIfThere(given: string): Promise<string | undefined>;
}

export interface ScopeParts {
  /** Where relative paths of calls start. */
  readonly cwd: string;
  /** Where relative roots start. */
  readonly folder: string;
  readonly home: string;
}

const PATH_LIMIT = 4096;

export async function pathScope(rules: PathScope, { cwd, folder, home }: ScopeParts): Promise<Scope> {
  const written = rules.allowed_roots ?? ['.'];
  const expanded = [
    ...written.map((root) => homeless(root, home)),
    ...(rules.allow_home === true ? [home] : []),
  ];
  const roots = await Promise.all(expanded.map((root) => canonicalOf(path.resolve(folder, root))));
  const absoluteRoots = await Promise.all(
    expanded.filter((root) => path.isAbsolute(root)).map((root) => canonicalOf(root)),
  );
  const known = new Map<string, Promise<string | undefined>>();

  const check = async (given: string): Promise<string | undefined> => {
    if (given.length > PATH_LIMIT) return 'a path is too long';
    if (given.startsWith('~') && rules.allow_home !== true) return `"${given}" is in a home folder`;
    if (/^~[^/]/.test(given)) return `"${given}" is in the home folder of somebody else`;
    if (rules.block_parent_traversal !== false && given.split(/[\\/]/).includes('..'))
      return `"${given}" goes up by ".."`;
    const asWritten = homeless(given, home);
    const end = await target(cwd, asWritten);
    if (end === undefined) return `it cannot be told where "${given}" leads`;
    if (!roots.some((root) => isInside(root, end)))
      return `"${given}" leads to "${end}", outside of the allowed folders`;
    const mayBeAbsolute = rules.block_absolute === false || absoluteRoots.some((root) => isInside(root, end));
    return path.isAbsolute(asWritten) && !mayBeAbsolute ? `"${given}" is absolute` : undefined;
  };
  const checkOnce = (given: string) => {
    const answer = known.get(given) ?? check(given);
    known.set(given, answer);
    return answer;
  };
  return {
    check: checkOnce,
    async checkIfThere(given) {
      if (given.length > PATH_LIMIT) return undefined;
      const first = /^\/*[^/]*/.exec(given)?.[0] ?? '';
      return (await isThere(path.resolve(cwd, first))) ? checkOnce(given) : undefined;
    },
  };
}

function homeless(given: string, home: string): string {
  return given === '~' || given.startsWith('~/') ? path.join(home, given.slice(1)) : given;
}

async function canonicalOf(root: string): Promise<string> {
  return (await canonical(root)) ?? root;
}

async function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}
