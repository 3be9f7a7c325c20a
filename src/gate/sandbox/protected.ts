// What stays as it is in a writable folder: the files that configure git and pluglot. A program that could write them would have others
// run outside, later: at the next `git status`, for example.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { Folder, realPath } from '../../fleet/trust/folder.ts';
import { isInside } from '../../fleet/trust/paths.ts';
import { isVacant, isVacantIn, makePlaceholder, placeholderId } from '../../fleet/trust/placeholders.ts';
import { filesNamedByGit, type GitConfigPlaces, repositoriesOf } from './git-config-file.ts';
import { copyRepository, hasPlainIndex, submodulesOf } from './repository.ts';
import { hiddenIn, keptIn } from './own-files.ts';
import type { Access, OwnPlaces } from './sandbox.ts';
import type { Shown } from './shown.ts';

export interface Protection {
  readonly shown: readonly Shown[];
  /** Called when the program is gone. Returns what the user has to know. */
  end(): Promise<string>;
}

export interface ProtectionOptions {
  /** Whether git can change the repository, too. */
  readonly repository: Access;
  /** All folders that the program is given: the configuration of git in one of them may name files in another. */
  readonly worktrees: readonly string[];
  /** Where the user and the system configure git. */
  readonly gitConfig: GitConfigPlaces;
  readonly own: OwnPlaces;
  /** What the program is shown without protection. */
  readonly visible: readonly Shown[];
  /** For copies; empty, of this program alone. */
  readonly copies: string;
  /** Called with each folder before it is made. */
  readonly record: (folders: readonly string[]) => void;
}

/** @throws PluglotError CONFIG_INVALID when a file of them is a link, which nothing can be laid over */
export function protect(
  folder: string,
  { repository, worktrees, gitConfig, own, visible, copies, record }: ProtectionOptions,
): Protection {
  const id = placeholderId();
  const shown: Shown[] = [];
  const closed = visible.filter(
    ({ as, path: each }) => CLOSED.has(as) && each !== folder && isInside(folder, each),
  );
  const isClosed = (file: string) => closed.some((each) => isInside(each.path, file));
  const keep = (file: string): void => {
    if (file === folder || !isInside(folder, file)) return;
    let above = Folder.open(folder);
    try {
      let each = folder;
      for (const name of path.relative(folder, file).split(path.sep)) {
        each = path.join(each, name);
        // To lay something over it would show it again.
        if (isClosed(each)) return;
        const stat = above.stat(name);
        if (stat === undefined || isVacantIn(above, name)) {
          if (makePlaceholder(above, each, id, record)) shown.push({ path: each, as: 'read-only' });
          return;
        }
        if (stat.isSymbolicLink()) isLink(each, folder);
        const isLast = each === file || !stat.isDirectory();
        // What something is laid over cannot be renamed.
        shown.push({ path: each, as: isLast ? 'read-only' : 'writable' });
        if (isLast) return;
        const next = above.open(name);
        above.close();
        above = next;
      }
    } finally {
      above.close();
    }
  };
  const hidden = hiddenIn(folder, own);
  // The folders above what is hidden cannot be renamed either.
  for (const place of [...hidden.links, ...hidden.places]) keep(place);
  for (const file of keptIn(folder, own)) keep(file);
  const git = path.join(folder, '.git');
  let copy: ReturnType<typeof copyRepository> | undefined;
  // Without it the folder itself cannot become a repository, also where the program breaks the one in `.git`.
  keep(path.join(folder, 'HEAD'));
  for (const { folder: worktree, isSubmodule } of worktreesAround(worktrees)) {
    const own = path.join(worktree, '.git');
    // The repositories are kept as a whole, or copied.
    const whole = [git, own, ...repositoriesOf(own)];
    for (const file of filesNamedByGit(worktree, own, gitConfig))
      if (!whole.some((each) => isInside(each, file))) keep(file);
    // A repository that lies elsewhere in the workspace is kept as a whole; those in `.git` are copied with it.
    if (own !== git) for (const place of repositoriesOf(own)) if (!isInside(git, place)) keep(place);
    // git enters a submodule; where there is none yet, none is made.
    if (isSubmodule) keep(isVacant(own) ? worktree : own);
  }
  if (isVacant(git)) {
    if (Folder.within(folder, isRepository)) isRepositoryItself(folder);
    keep(git);
  } else {
    const links = linksOf(git);
    for (const place of repositoriesOf(git)) keep(place);
    if (repository === 'writable' && links !== undefined && isPlainRepository(git)) {
      Folder.within(copies, (above) => above.make(id, 0o700));
      copy = copyRepository(git, path.join(copies, id), links);
    }
    if (copy === undefined || 'tooLarge' in copy) keep(git);
  }
  return {
    shown: [...readOnlyFirst(shown), ...(copy !== undefined && 'shown' in copy ? copy.shown : [])],
    end: async () => (copy === undefined ? '' : 'tooLarge' in copy ? copy.tooLarge : copy.takeOver()),
  };
}

const CLOSED: ReadonlySet<Shown['as']> = new Set(['read-only', 'hidden-folder', 'hidden-file']);

interface Worktree {
  readonly folder: string;
  readonly isSubmodule: boolean;
}

/** The work trees whose git may run what lies in these folders: themselves, those that contain them, and the submodules of both. */
function worktreesAround(folders: readonly string[]): readonly Worktree[] {
  const found = new Map<string, Worktree>();
  const add = (folder: string, isSubmodule: boolean) => {
    if (found.get(folder)?.isSubmodule === true) return;
    if (found.size >= WORKTREES_MAX) tooManyWorktrees();
    found.set(folder, { folder, isSubmodule });
  };
  for (const folder of folders) {
    add(folder, false);
    for (let above = path.dirname(folder); above !== path.dirname(above); above = path.dirname(above))
      if (!isVacant(path.join(above, '.git'))) add(above, false);
  }
  // Those that are added meanwhile are looked at, too.
  for (const { folder } of found.values()) {
    const git = path.join(folder, '.git');
    if (isVacant(git)) continue;
    const [repository = git] = repositoriesOf(git);
    for (const link of linksOf(repository) ?? []) add(path.join(folder, link), true);
  }
  return [...found.values()];
}

const WORKTREES_MAX = 1000;

function tooManyWorktrees(): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    `No program can be confined here: there are more than ${WORKTREES_MAX} submodules and work trees to protect.`,
  );
}

/** What is read-only for one reason stays so, with all below it, where another reason would show it as writable. */
function readOnlyFirst(shown: readonly Shown[]): Shown[] {
  const closed = shown.filter(({ as }) => as === 'read-only');
  return [
    ...closed,
    ...shown.filter(
      ({ as, path: file }) => as !== 'read-only' && !closed.some((each) => isInside(each.path, file)),
    ),
  ];
}

/**
 * The submodules of a repository; undefined where it is not a folder, or its index is not one that is understood.
 * @throws PluglotError CONFIG_INVALID where the index cannot be read: submodules that are not known could not be protected
 */
function linksOf(git: string): ReadonlySet<string> | undefined {
  try {
    return Folder.within(realPath(git), submodulesOf);
  } catch (thrown) {
    // An index that git itself refuses names no submodules.
    if (!(thrown instanceof Error && 'code' in thrown)) return undefined;
    throw new PluglotError(
      'CONFIG_INVALID',
      `No program can be confined here: the index of ${git} cannot be read (${String(thrown.code)}). Make it readable.`,
      { cause: thrown },
    );
  }
}

function isPlainRepository(git: string): boolean {
  return (
    Folder.within(
      git,
      (folder) => isRepository(folder) && folder.stat('commondir') === undefined && hasPlainIndex(folder),
    ) ?? false
  );
}

/** What git looks for. */
function isRepository(folder: Folder): boolean {
  return folder.stat('HEAD') !== undefined && folder.isFolder('objects') && folder.isFolder('refs');
}

function isLink(file: string, folder: string): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    `The folder ${folder} cannot be made writable for a confined program: ${file} is a link, which cannot be protected. Put what it leads to in its place.`,
  );
}

function isRepositoryItself(folder: string): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    `The folder ${folder} cannot be made writable for a confined program: it is itself a git repository without files. Choose the folder with the files.`,
  );
}
