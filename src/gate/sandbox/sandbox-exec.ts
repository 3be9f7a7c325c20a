// Confines programs on macOS by sandbox-exec: a profile that denies all but what is shown. There are no namespaces and no limits there.
import fs from 'node:fs';
import path from 'node:path';
import { askProgram } from '../../fleet/supervisor/ask-program.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { isInside } from '../../fleet/trust/paths.ts';
import { environmentInside } from './environment.ts';
import { filesNamedByGit } from './git-config-file.ts';
import { gitConfigPlaces } from './git-configuration.ts';
import { hiddenIn, keptIn, ownPlacesOf } from './own-files.ts';
import type { Confinement, OwnPlaces, Sandbox, SandboxHost, SandboxMissing } from './sandbox.ts';
import { type Shown, shownTo } from './shown.ts';

const COMMAND = '/usr/bin/sandbox-exec';

export async function findSandboxExec(host: SandboxHost): Promise<Sandbox | SandboxMissing> {
  const args = ['-p', '(version 1)(allow default)', '/bin/echo', 'inside'];
  const answer = await askProgram({ command: COMMAND, args, cwd: '/', env: {} });
  if (answer?.trim() === 'inside') return createSandboxExec(host);
  return {
    missing: `${COMMAND} does not work here`,
    fix: 'Run pluglot outside of another sandbox',
  };
}

export function createSandboxExec(host: SandboxHost): Sandbox {
  return {
    kind: 'sandbox-exec',
    limits: { memoryBytes: false, processes: false },
    confine(program, confinement) {
      const shown = shownTo(program, confinement, host);
      const { env, given } = environmentInside(program.env, shown);
      return {
        command: COMMAND,
        args: [],
        cwd: '/',
        env: {},
        enclosure: {
          enter(folder) {
            const temporary = path.join(folder, 'tmp');
            fs.mkdirSync(temporary);
            const profile = path.join(folder, 'profile');
            fs.writeFileSync(
              profile,
              profileOf(
                confinement,
                [...shown, ...keptForGit(shown, host), { path: temporary, as: 'writable' }],
                ownPlacesOf(host),
              ),
            );
            const inside: Program = {
              command: COMMAND,
              args: ['-f', profile, program.command, ...(program.args ?? [])],
              cwd: program.cwd ?? confinement.workspace,
              env: { ...env, ...given, TMPDIR: temporary },
            };
            return { program: inside, leave: () => Promise.resolve('') };
          },
        },
      };
    },
  };
}

/** In every writable folder: what would make it a repository, and what the configuration of git names. */
function keptForGit(shown: readonly Shown[], host: SandboxHost): Shown[] {
  const places = gitConfigPlaces(host);
  return shown
    .filter(({ as, isProtected }) => as === 'writable' && isProtected)
    .flatMap(({ path: folder }) => [
      path.join(folder, 'HEAD'),
      ...filesNamedByGit(folder, path.join(folder, '.git'), places).filter((file) => isInside(folder, file)),
    ])
    .map((file) => ({ path: file, as: 'read-only' }));
}

/** Where programs, libraries and what they need to start are. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/Library/Developer',
  '/opt/homebrew',
  '/nix/store',
];
const SYSTEM_FILES = [
  '/private/etc/group',
  '/private/etc/hosts',
  '/private/etc/localtime',
  '/private/etc/passwd',
  '/private/etc/protocols',
  '/private/etc/services',
  '/private/etc/ssl/cert.pem',
  '/private/etc/ssl/openssl.cnf',
  '/private/var/db/timezone',
];

/**
 * In every repository, the one in the workspace and those below: no placeholder is needed for what is not there yet. A rebase that goes on
 * outside can run commands, so none is left unfinished here.
 */
const GIT_FILES = inAnyCase(
  String.raw`/\.git(/modules/.*|/worktrees/.*)?/(config|config\.worktree|commondir|gitdir|hooks|rebase-merge|rebase-apply|sequencer)(/|$)`,
);

/** The text of a profile. Of several rules for a path the last one counts, so what is deeper comes later. */
export function profileOf(
  { network }: Pick<Confinement, 'network'>,
  shown: readonly Shown[],
  own: OwnPlaces,
): string {
  const byDepth = [...shown].sort((a, b) => a.path.length - b.path.length);
  const guarded = byDepth.filter(({ as, isProtected }) => as === 'writable' && isProtected);
  const hidden = guarded.map(({ path: folder }) => hiddenIn(folder, own));
  const places = hidden.flatMap((each) => each.places);
  // What is there is among what is shown, where more may be shown in it.
  const absent = places.filter((place) => !shown.some((each) => each.path === place));
  const above = guarded.flatMap(({ path: folder }) =>
    [...keptIn(folder, own), ...places].flatMap((file) => foldersBetween(folder, file)),
  );
  // Folders that are shown apart, and those on the way to them.
  const inner = byDepth
    .filter(({ as, isProtected, isKept }) => as === 'writable' && (isProtected || isKept))
    .map(({ path: folder }) => folder)
    .filter((folder) => guarded.some(({ path: each }) => each !== folder && isInside(each, folder)));
  return [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read file-read-metadata)',
    '(allow file-ioctl (literal "/dev/null") (literal "/dev/tty"))',
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
    rule('allow file-read*', ['(literal "/")', ...SYSTEM.map(subpath), ...SYSTEM_FILES.map(literal)]),
    ...byDepth.filter(({ isKept }) => isKept !== true).flatMap(rulesFor),
    rule(
      'deny file-write*',
      guarded.flatMap(({ path: folder }) => [
        `(regex #"^${escaped(folder)}(/.*)?${GIT_FILES}")`,
        ...keptIn(folder, own).map(subpath),
        ...[...keptIn(folder, own), path.join(folder, 'HEAD')].map(
          (file) => `(regex #"^${escaped(folder)}${inAnyCase(escaped(file.slice(folder.length)))}(/|$)")`,
        ),
      ]),
    ),
    rule('deny file-read* file-write*', absent.map(subpath)),
    rule(
      'deny file-write*',
      hidden.flatMap(({ links }) => links.map(literal)),
    ),
    // Neither removed nor renamed, nor made where it is not there.
    rule(
      'deny file-write-unlink file-write-create',
      guarded.map(({ path: folder }) => literal(path.join(folder, '.git'))),
    ),
    rule('deny file-write-unlink', [...new Set([...above, ...inner])].map(literal)),
    network ? '(allow network*)' : '(deny network*)',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function foldersBetween(folder: string, file: string): string[] {
  const parent = path.dirname(file);
  return parent !== folder && isInside(folder, parent) ? [parent, ...foldersBetween(folder, parent)] : [];
}

function rulesFor({ path: place, as }: Shown): string[] {
  switch (as) {
    case 'writable':
      return [`(allow file-read* file-write* ${subpath(place)})`];
    case 'read-only':
      return [`(allow file-read* ${subpath(place)})`, `(deny file-write* ${subpath(place)})`];
    case 'hidden-folder':
    case 'hidden-file':
      return [`(deny file-read* file-write* ${subpath(place)})`];
    case 'empty-folder':
      return [];
  }
}

/** The file system ignores case, and profile rules do not. */
function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function rule(action: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(${action} ${filters.join(' ')})`;
}

function subpath(place: string): string {
  return `(subpath ${JSON.stringify(place)})`;
}

function literal(place: string): string {
  return `(literal ${JSON.stringify(place)})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|"]/g, String.raw`\$&`);
}
