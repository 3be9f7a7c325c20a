// Where a path leads, and whether that is inside of the folders that are allowed. Symbolic links are followed as they are now.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { canonical, isInside } from '../../../fleet/trust/containment.ts';
import type { PathScope } from '../file/permissions-file.ts';

export interface Scope {
  /** Why the path is outside; undefined when it is not. */
  check(given: string): Promise<string | undefined>;
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
    const leadsTo = await target(path.resolve(cwd, asWritten));
    if (leadsTo === undefined) return `it cannot be told where "${given}" leads`;
    if (!roots.some((root) => isInside(root, leadsTo)))
      return `"${given}" leads to "${leadsTo}", outside of the allowed folders`;
    const mayBeAbsolute =
      rules.block_absolute === false || absoluteRoots.some((root) => isInside(root, leadsTo));
    return path.isAbsolute(asWritten) && !mayBeAbsolute ? `"${given}" is absolute` : undefined;
  };
  return {
    check(given) {
      const answer = known.get(given) ?? check(given);
      known.set(given, answer);
      return answer;
    },
  };
}

function homeless(given: string, home: string): string {
  return given === '~' || given.startsWith('~/') ? path.join(home, given.slice(1)) : given;
}

async function canonicalOf(root: string): Promise<string> {
  return (await canonical(root)) ?? root;
}

/** Of something that is not there yet: where its folder leads. A link that leads nowhere leads anywhere. */
async function target(file: string): Promise<string | undefined> {
  const rest: string[] = [];
  for (let place = file; ; place = path.dirname(place)) {
    try {
      return path.join(await realpath(place), ...rest);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
      if (await isLink(place)) return undefined;
      if (path.dirname(place) === place) return undefined;
      rest.unshift(path.basename(place));
    }
  }
}

async function isLink(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isSymbolicLink();
  } catch {
    return false;
  }
}
