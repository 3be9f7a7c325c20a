// Confines programs on Linux by bubblewrap: every namespace of its own, no capability, a file system of what is shown alone.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { shellWord } from '../../base/text.ts';
import { askProgram } from '../../fleet/supervisor/ask-program.ts';
import { allowedEnvironment } from '../../fleet/supervisor/environment.ts';
import { type CheckedFile, START_GATE } from '../../fleet/supervisor/containment.ts';
import type { Entered, Program } from '../../fleet/supervisor/spawn.ts';
import { findOutside, isInside } from '../../fleet/trust/paths.ts';
import { type ControlGroups, ENTER, findControlGroups } from './cgroup.ts';
import { environmentInside } from './environment.ts';
import { gitConfigPlaces, gitConfiguration } from './git-configuration.ts';
import { placeholderId } from '../../fleet/trust/placeholders.ts';
import { ownPlacesOf } from './own-files.ts';
import { protect, type Protection } from './protected.ts';
import {
  type Confinement,
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxHost,
  type SandboxMissing,
} from './sandbox.ts';
import { systemCallFilter } from './seccomp.ts';
import { identityInside, identityOf, realPath, SYSTEM_FILES, SYSTEM_FOLDERS } from './places.ts';
import { type Shown, shownTo } from './shown.ts';

export async function findBubblewrap(host: SandboxHost): Promise<Sandbox | SandboxMissing> {
  const command = findOutside('bwrap', allowedEnvironment(host.env)['PATH'] ?? '', host.writable?.() ?? []);
  if (command === undefined) {
    return {
      missing: 'bubblewrap (bwrap) is not installed',
      fix: 'Install it: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap or apk add bubblewrap',
    };
  }
  for (const isolation of [ISOLATION, ISOLATION.filter((option) => option !== '--disable-userns')]) {
    if (!(await works(command, isolation))) continue;
    const [groups, git] = await Promise.all([findControlGroups(placeholderId()), gitConfiguration(host)]);
    return createBubblewrap({ command, isolation, system: systemArguments(), groups, git, host });
  }
  return {
    missing: `bubblewrap (${command}) cannot make namespaces here`,
    fix: 'Allow user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1; in a container, --security-opt seccomp=unconfined',
  };
}

/** --new-session: no character can be put into the input of the host's terminal. --disable-userns is new in 0.8. */
const ISOLATION = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--disable-userns',
  '--cap-drop',
  'ALL',
  '--new-session',
  '--die-with-parent',
];

async function works(command: string, isolation: readonly string[]): Promise<boolean> {
  const test = ['--', '/bin/sh', '-c', '[ -r /proc/self/stat ] && echo $$'];
  const args = [...isolation, '--unshare-net', ...systemArguments(), ...test];
  // bubblewrap itself is the first process in it.
  return (await askProgram({ command, args, cwd: '/', env: {} }))?.trim() === '2';
}

interface BubblewrapParts {
  readonly command: string;
  readonly isolation: readonly string[];
  /** What of the system is shown. */
  readonly system: readonly string[];
  readonly groups: ControlGroups;
  /** The configuration of git that programs see in the home folder. */
  readonly git: string;
  readonly host: SandboxHost;
}

function createBubblewrap(parts: BubblewrapParts): Sandbox {
  return {
    kind: 'bubblewrap',
    limits: parts.groups.held,
    confine(program, confinement) {
      const shown = shownTo(program, confinement, parts.host);
      const cwd = workingFolder(program, confinement, shown);
      return {
        command: parts.command,
        args: [],
        cwd: '/',
        env: {},
        enclosure: {
          enter: (folder, record) =>
            enter({ ...program, cwd }, confinement, shown, parts, { folder, record }),
        },
      };
    },
  };
}

function enter(
  program: Program & { readonly cwd: string },
  confinement: Confinement,
  shown: readonly Shown[],
  { command, isolation, system, groups, git, host }: BubblewrapParts,
  { folder, record }: { folder: string; record: (folders: readonly string[]) => void },
): Entered {
  const { network, repository = confinement.access, limits } = confinement;
  const group = groups.groupsFor(placeholderId(), { ...DEFAULT_LIMITS, ...limits });
  record(group.folders);
  group.make();
  const filter = path.join(folder, 'filter');
  const filtered = systemCallFilter(network);
  fs.writeFileSync(filter, filtered ?? '');
  const gitFile = path.join(folder, 'gitconfig');
  fs.writeFileSync(gitFile, git);
  const gitConfig = gitConfigPlaces(host);
  const own = ownPlacesOf(host);
  const { visible, protections } = protectAll(shown, (each) =>
    protect(each, {
      repository,
      worktrees: shown.filter(({ isProtected }) => isProtected).map(({ path: folder }) => folder),
      gitConfig,
      own,
      visible: shown,
      copies: folder,
      record,
    }),
  );
  const all: Shown[] = [
    ...visible,
    { path: path.join(realPath(host.home), '.gitconfig'), as: 'read-only', from: gitFile },
    ...protections.flatMap((each) => each.shown),
    ...(program.checked ?? []).map((each, index) => copied(each, path.join(folder, `checked-${index}`))),
  ];
  const writable = shown.filter(({ as }) => as === 'writable').map(({ path: each }) => each);
  const { env, given } = environmentInside(program.env, shown);
  // A shell forgets variables whose names it could not use itself.
  const hasGate = Object.keys({ ...env, ...given }).every((name) => /^[A-Za-z_]\w*$/.test(name));
  const checks = identitiesOf(byDepth(all), [...writable, ...(host.writable?.() ?? [])].map(realPath));
  if (!hasGate && checks.length > 0) cannotCheck();
  const gate = hasGate ? startGate(checks) : [];
  return {
    program: {
      command: '/bin/sh',
      args: [
        '-c',
        `exec 4< "$1" && shift && ${ENTER}`,
        'sh',
        filter,
        ...group.folders,
        '--',
        command,
        ...isolation,
        ...(network ? NETWORK : ['--unshare-net']),
        ...(filtered === undefined ? [] : ['--seccomp', '4']),
        ...system,
        ...byDepth(all).flatMap(shownArguments),
        ...linkTo(confinement.workspace, shown),
        ...all.filter(({ as }) => as === 'hidden-folder').flatMap(({ path: each }) => ['--remount-ro', each]),
        '--remount-ro',
        '/',
        '--chdir',
        program.cwd,
        ...Object.entries(given).flatMap(([name, value]) => ['--setenv', name, value]),
        '--',
        ...gate,
        program.command,
        ...(program.args ?? []),
      ],
      cwd: '/',
      env,
      ownNamespace: true,
    },
    leave: async () => (await Promise.all(protections.map((each) => each.end()))).join(''),
  };
}

/** The folders in the order of depth: what one of them closes stays closed in those below that are there to be kept alone. */
function protectAll(
  shown: readonly Shown[],
  protectFolder: (folder: string) => Protection,
): { readonly visible: readonly Shown[]; readonly protections: readonly Protection[] } {
  const visible: Shown[] = [];
  const protections: Protection[] = [];
  const closed: string[] = [];
  for (const each of shown) {
    if (each.isKept === true && closed.some((folder) => isInside(folder, each.path))) continue;
    visible.push(each);
    if (each.as !== 'writable' || each.isProtected !== true) continue;
    const protection = protectFolder(each.path);
    protections.push(protection);
    closed.push(...protection.shown.filter(({ as }) => as === 'read-only').map(({ path: file }) => file));
  }
  return { visible, protections };
}

/**
 * What is mounted in a folder that confined programs can write to: another program could exchange it, or a folder above it, for a link
 * before the mount. Inside, before the program starts, each is compared with what is found here by steps that follow no link.
 */
function identitiesOf(all: readonly Shown[], writable: readonly string[]): readonly MountCheck[] {
  const checks = new Map<string, string>();
  for (const { path: place, as, from } of all) {
    // The outermost one: what is above it cannot be exchanged.
    const [root] = writable
      .filter((folder) => folder !== place && isInside(folder, place))
      .sort((a, b) => a.length - b.length);
    if (root === undefined) continue;
    const identity = (file: string) => identityInside(root, file) ?? wasReplaced(file);
    if (as === 'hidden-folder' || as === 'hidden-file') {
      const above = path.dirname(place);
      // Covered at another place, it would be seen at its own.
      if (above !== root && !all.some((each) => isCovered(each) && isInside(each.path, above)))
        checks.set(above, identity(above));
      checks.set(place, as === 'hidden-folder' ? EMPTY_FOLDER : identityOf('/dev/null'));
    } else if (as !== 'empty-folder') {
      checks.set(place, from === undefined ? identity(place) : identityOf(from));
    }
  }
  return [...checks].map(([place, identity]) => ({ place, identity }));
}

interface MountCheck {
  readonly place: string;
  /** Digits, and `*` for any. */
  readonly identity: string;
}

/** A folder in memory that can only be read, as hidden ones are covered with. */
const EMPTY_FOLDER = '*:4140';

function isCovered({ as, from }: Shown): boolean {
  return from !== undefined || as === 'hidden-folder' || as === 'hidden-file';
}

function startGate(checks: readonly MountCheck[]): readonly string[] {
  if (checks.length === 0) return ['/bin/sh', '-c', START_GATE, 'sh'];
  const stat = STAT.find((file) => fs.existsSync(file));
  if (stat === undefined) return cannotCheck();
  const expected = checks.map(({ identity }) => identity).join(String.raw`\ `);
  const places = checks.map(({ place }) => shellWord(place)).join(' ');
  const check = `case "$(echo $(${stat} -c %d:%i:%f -- ${places}))" in ${expected}) ;; *) echo "${REPLACED}" >&2; exit 126 ;; esac`;
  return ['/bin/sh', '-c', `${check}; ${START_GATE}`, 'sh'];
}

const STAT = ['/usr/bin/stat', '/bin/stat'];

const REPLACED = 'pluglot: A folder that is protected was replaced while the program was started. Try again.';

function wasReplaced(place: string): never {
  throw new PluglotError('CONFIG_INVALID', `${place} was replaced while the program was started. Try again.`);
}

function cannotCheck(): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    'Whether folders were replaced cannot be checked for this program. Leave out variables whose names have more than letters, digits and _.',
  );
}

/** The file as it was checked. */
function copied({ file, bytes, mode }: CheckedFile, copy: string): Shown {
  fs.writeFileSync(copy, bytes, { mode });
  return { path: file, as: 'read-only', from: copy };
}

const NETWORK = ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'];

/** /proc is read-only: without a capability, too, root may write settings of the kernel, as what it runs for a core dump. */
function systemArguments(): string[] {
  return [...SYSTEM_FOLDERS, ...SYSTEM_FILES]
    .flatMap(systemArgument)
    .concat(['--proc', '/proc', ...HIDDEN_OF_PROC.flatMap(coveredArguments), '--remount-ro', '/proc'])
    .concat(['--dev', '/dev'])
    .concat(['--perms', '1777', '--tmpfs', '/tmp']);
}

/** Keys of the kernel know no namespace. */
const HIDDEN_OF_PROC = ['/proc/keys', '/proc/key-users'];

function coveredArguments(file: string): string[] {
  return fs.existsSync(file) ? ['--ro-bind', '/dev/null', file] : [];
}

/** A link to what is shown stays a link. */
function systemArgument(file: string): string[] {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !fs.existsSync(file)) return [];
  const isLink = stat.isSymbolicLink() && SYSTEM_FOLDERS.some((folder) => isInside(folder, realPath(file)));
  return isLink ? ['--symlink', fs.readlinkSync(file), file] : ['--ro-bind', file, file];
}

/** What is deeper is laid over what is above it. Where two are at one place, the last one counts. */
function byDepth(shown: readonly Shown[]): Shown[] {
  const places = new Map(shown.map((each) => [each.path, each]));
  return [...places.values()].sort((a, b) => a.path.length - b.path.length);
}

function shownArguments({ path: at, as, from = at }: Shown): string[] {
  switch (as) {
    case 'writable':
      return ['--bind', from, at];
    case 'read-only':
      return ['--ro-bind', from, at];
    case 'empty-folder':
      return ['--perms', '0700', '--tmpfs', at];
    case 'hidden-folder':
      return ['--perms', '0500', '--tmpfs', at];
    case 'hidden-file':
      return ['--ro-bind', '/dev/null', at];
  }
}

/** Where the workspace is reached by a link, its path leads there inside too. */
function linkTo(workspace: string, shown: readonly Shown[]): string[] {
  const real = realPath(workspace);
  const given = path.resolve(workspace);
  const isThere = shown.some(({ path: each, as }) => as !== 'empty-folder' && isInside(each, given));
  return given === real || isThere ? [] : ['--symlink', real, given];
}

function workingFolder({ cwd }: Program, { workspace }: Confinement, shown: readonly Shown[]): string {
  const folder = realPath(cwd ?? workspace);
  const isShown = shown.some(
    ({ path: each, as }) => (as === 'writable' || as === 'read-only') && isInside(each, folder),
  );
  if (isShown) return folder;
  throw new PluglotError(
    'CONFIG_INVALID',
    `A confined program cannot work in ${folder}: it is not shown. Choose a folder in ${workspace}, or show it as well.`,
  );
}
