// What stays as it is in a writable folder: the files that configure git and pluglot. A program that could write them would have others
// run outside, later: at the next `git status`, for example.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isInside } from '../../fleet/trust/containment.ts';
import {
  foldersOfPlaceholder,
  isVacant,
  makePlaceholder,
  placeholderId,
} from '../../fleet/trust/placeholders.ts';
import { filesNamedByGit, type GitConfigPlaces, repositoriesOf } from './git-config-file.ts';
import { copyRepository, type RepositoryCopy, submodulesOf } from './repository.ts';
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
  /** Where the user and the system configure git. */
  readonly gitConfig: GitConfigPlaces;
  readonly own: OwnPlaces;
  /** What the program is shown without protection. */
  readonly visible: readonly Shown[];
  /** For copies; empty, of this program alone. */
  readonly copies: string;
  /** Told of folders before they are made. */
  readonly record: (folders: readonly string[]) => void;
}

/** @throws PluglotError CONFIG_INVALID when a file of them is a link, which nothing can be laid over */
export function protect(
  folder: string,
  { repository, gitConfig, own, visible, copies, record }: ProtectionOptions,
): Protection {
  const id = placeholderId();
  const shown: Shown[] = [];
  const closed = visible.filter(
    ({ as, path: each }) => CLOSED.has(as) && each !== folder && isInside(folder, each),
  );
  const isClosed = (file: string) => closed.some((each) => isInside(each.path, file));
  const keep = (file: string): void => {
    if (file === folder || !isInside(folder, file)) return;
    const parts = path.relative(folder, file).split(path.sep);
    const way = parts.map((_, index) => path.join(folder, ...parts.slice(0, index + 1)));
    for (const each of way) {
      // To lay something over it would show it again.
      if (isClosed(each)) return;
      if (isVacant(each)) {
        record(foldersOfPlaceholder(each, id));
        if (makePlaceholder(each, id)) shown.push({ path: each, as: 'read-only' });
        return;
      }
      const stat = fs.lstatSync(each);
      if (stat.isSymbolicLink()) isLink(each, folder);
      const isLast = each === file || !stat.isDirectory();
      // What something is laid over cannot be renamed.
      shown.push({ path: each, as: isLast ? 'read-only' : 'writable' });
      if (isLast) return;
    }
  };
  const hidden = hiddenIn(folder, own);
  // The folders above what is hidden cannot be renamed either.
  for (const place of [...hidden.links, ...hidden.places]) keep(place);
  for (const file of keptIn(folder, own)) keep(file);
  const git = path.join(folder, '.git');
  let copy: RepositoryCopy | undefined;
  // Without it the folder itself cannot become a repository, also where the program breaks the one in `.git`.
  keep(path.join(folder, 'HEAD'));
  if (isVacant(git)) {
    if (isRepository(folder)) isRepositoryItself(folder);
    keep(git);
  } else {
    const links = linksOf(git);
    for (const worktree of [folder, ...[...(links ?? [])].map((link) => path.join(folder, link))]) {
      const own = path.join(worktree, '.git');
      // The repositories are kept as a whole, or copied.
      const whole = [git, own, ...repositoriesOf(own)];
      for (const file of filesNamedByGit(worktree, own, gitConfig))
        if (!whole.some((each) => isInside(each, file))) keep(file);
    }
    for (const link of links ?? []) keepSubmodule(path.join(folder, link), keep);
    for (const place of repositoriesOf(git)) keep(place);
    if (repository === 'writable' && links !== undefined && isPlainRepository(git)) {
      const own = path.join(copies, id);
      fs.mkdirSync(own);
      copy = copyRepository(git, own, links);
    } else keep(git);
  }
  return {
    shown: [...readOnlyFirst(shown), ...(copy?.shown ?? [])],
    end: async () => copy?.takeOver() ?? '',
  };
}

const CLOSED: ReadonlySet<Shown['as']> = new Set(['read-only', 'hidden-folder', 'hidden-file']);

/** git enters a submodule; where there is none yet, none is made. */
function keepSubmodule(folder: string, keep: (file: string) => void): void {
  const git = path.join(folder, '.git');
  keep(isVacant(git) ? folder : git);
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

function linksOf(git: string): ReadonlySet<string> | undefined {
  if (!fs.lstatSync(git).isDirectory()) return undefined;
  try {
    return submodulesOf(git);
  } catch {
    return undefined;
  }
}

function isPlainRepository(git: string): boolean {
  return isRepository(git) && !fs.existsSync(path.join(git, 'commondir'));
}

/** What git looks for. */
function isRepository(folder: string): boolean {
  const isFolder = (name: string) =>
    fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return fs.existsSync(path.join(folder, 'HEAD')) && isFolder('objects') && isFolder('refs');
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
