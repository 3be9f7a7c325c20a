// Contains the processes of one fleet: chooses the mode and does what the modes share. Also starts the warden.
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PluglotError } from '../../base/error.ts';
import { findOutside, pathOutside } from '../trust/paths.ts';
import { spawnDetached } from './child-process.ts';
import { type ContainmentMode, killGroup, processGroup } from './containment.ts';
import { removeFolder } from './folders.ts';
import { ledgerFile, openLedger, sweepLedgers } from './ledger.ts';
import { createReaper, killTargets, MARK_VARIABLE, markValue, type Reaper, type Target } from './reaper.ts';
import { inNamespace, namespaceContainment, namespacesBy, SWEEP } from './namespace.ts';
import { addDescendants, type ProcessIdentity, readStat, readStats } from './process-table.ts';
import { notStarted, type Program, type Running, spawn, spawnEnclosed, type SpawnOptions } from './spawn.ts';

export interface GuardOptions {
  /** Identifies the fleet on this machine. */
  readonly fleet: string;
  readonly mode: ContainmentMode | 'auto';
  /** The folder with the ledgers of all hosts of this user. */
  readonly ledgerFolder: string;
  readonly temporaryFolder: string;
  readonly node: string;
  /** Where programs of the system are found. */
  readonly searchPath: string;
  /** Folders to skip in that search. */
  readonly writable: readonly string[];
  /** The marks of the host itself. */
  readonly outerMarks: string | undefined;
}

export interface Guard {
  readonly mode: ContainmentMode;
  /** Whether a program sees the bytes of its checked files, even if the files change. */
  readonly showsChecked: boolean;
  /** Starts a program, contained. */
  spawn(program: Program, launch: string, options?: SpawnOptions): Running;
  /** Ends all remaining processes. */
  close(): Promise<void>;
}

/**
 * Cleans up after hosts that are gone, then sets up the containment.
 * @throws PluglotError CONFIG_INVALID when the requested mode does not work here
 */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { fleet, ledgerFolder, temporaryFolder } = options;
  const reaper = createReaper();
  await sweepLedgers(ledgerFolder, reaper);
  const means = await pickMeans(options);
  const ledger = openLedger(ledgerFolder, fleet, temporaryFolder);
  const everything = { mark: fleet };
  // The last resort if nothing else ends the processes. It runs on exit and on an error, but not on signals.
  const endAtExit = () => {
    try {
      killTargets([everything]);
    } catch {
      // Too late to report; the next host finds them in the ledger.
    }
  };
  if (means.mode === 'group') process.once('exit', endAtExit);

  return {
    mode: means.mode,
    showsChecked: means.showsChecked,
    spawn(program, launch, spawnOptions) {
      const failure = means.ensure();
      if (failure !== undefined) return notStarted(failure);
      const mark = `${fleet}.${launch}`;
      const members = new Set<ProcessIdentity>();
      const target: { mark: string; members: Set<ProcessIdentity>; leader?: ProcessIdentity } = {
        mark,
        members,
      };
      const start = (plain: Program) => {
        const marked = withVariable(plain, MARK_VARIABLE, markValue(mark, options.outerMarks));
        return spawnBy(means, marked, belongingsOf(target, reaper), spawnOptions);
      };
      const { enclosure } = program;
      const running =
        enclosure === undefined
          ? start(program)
          : spawnEnclosed(enclosure, path.join(temporaryFolder, `${launch}-sandbox`), start, spawnOptions);
      // Its pid cannot be reused yet, even if it has ended.
      const started = running.pid === undefined ? undefined : readStat(running.pid);
      if (started !== undefined) {
        target.leader = started;
        ledger.add(started);
      }
      return running;
    },
    async close() {
      await reaper.end(everything);
      await means.close();
      process.off('exit', endAtExit);
      await removeFolder(temporaryFolder);
      ledger.close();
    },
  };
}

/** The descendants of a process. */
interface Belongings {
  remember(leader: number): void;
  /** Ends the descendants after the exit of the leader. */
  end(quietLooks?: number): Promise<void>;
}

function belongingsOf(
  target: Target & { readonly members: Set<ProcessIdentity> },
  reaper: Reaper,
): Belongings {
  return {
    remember(leader) {
      const stats = readStats();
      const family = new Set(stats.filter(({ pid }) => pid === leader));
      addDescendants(family, stats);
      for (const each of family) target.members.add(each);
    },
    end: (quietLooks) => reaper.end(target, quietLooks),
  };
}

/** The differences between the modes. */
interface Means {
  readonly mode: ContainmentMode;
  readonly showsChecked: boolean;
  /** Ensures that the program which ends the processes with the host runs; returns why it could not be started. */
  ensure(): Error | undefined;
  spawn(program: Program, belongings: Belongings, options?: SpawnOptions): Running;
  close(): Promise<void>;
}

function spawnBy(means: Means, program: Program, belongings: Belongings, options?: SpawnOptions): Running {
  if (program.ownNamespace !== true) return means.spawn(program, belongings, options);
  return spawn(program, options, { containment: namespaceContainment(() => belongings.end(1)) });
}

async function pickMeans(options: GuardOptions): Promise<Means> {
  const { mode } = options;
  if (mode === 'auto') return (await namespaces(options)) ?? wardens(options) ?? groups();
  const means =
    mode === 'group' ? groups() : mode === 'warden' ? wardens(options) : await namespaces(options);
  if (means !== undefined) return means;
  throw new PluglotError(
    'CONFIG_INVALID',
    mode === 'namespace'
      ? 'The containment "namespace" does not work here: it needs bubblewrap (bwrap) in PATH, allowed to create PID namespaces. Install it, or choose "auto".'
      : 'The containment "warden" does not work here: its program was not built. Run `npm run build`, or choose "auto".',
  );
}

async function namespaces(options: GuardOptions): Promise<Means | undefined> {
  const bubblewrap = findOutside('bwrap', options.searchPath, options.writable);
  const can = bubblewrap === undefined ? 'none' : await namespacesBy(bubblewrap);
  if (bubblewrap === undefined || can === 'none') return undefined;
  const keeper = keeperOf(options, '/bin/sh', ['-c', SWEEP, 'sh']);
  return {
    mode: 'namespace',
    showsChecked: can === 'with files',
    ensure: () => keeper.ensure(),
    spawn(program, belongings, options) {
      const inside = inNamespace(bubblewrap, program);
      // The system ends all processes of a namespace with its first one.
      const containment = namespaceContainment(() => belongings.end(1));
      return spawn(inside.program, options, { ...inside, containment });
    },
    close: () => keeper.close(),
  };
}

function wardens(options: GuardOptions): Means | undefined {
  const program = wardenProgram();
  if (program === undefined) return undefined;
  const keeper = keeperOf(options, options.node, [program]);
  return { ...groups(), mode: 'warden', ensure: () => keeper.ensure(), close: () => keeper.close() };
}

function keeperOf(options: GuardOptions, command: string, args: readonly string[]): WardenKeeper {
  const { fleet, temporaryFolder, ledgerFolder, outerMarks } = options;
  // No more than it needs: with NODE_EXTRA_CA_CERTS set, Node takes ten times as long to start.
  const env = { PATH: `/usr/bin:/bin:${pathOutside(options.searchPath, options.writable)}` };
  return createWardenKeeper({
    command,
    args: [...args, fleet, temporaryFolder, ledgerFile(ledgerFolder, fleet)],
    cwd: '/',
    // The warden of a host that is itself a plugin ends with that plugin.
    env: outerMarks === undefined ? env : { ...env, [MARK_VARIABLE]: outerMarks },
  });
}

function groups(): Means {
  return {
    mode: 'group',
    showsChecked: false,
    ensure: () => undefined,
    spawn(program, belongings, options) {
      const containment = {
        ...processGroup,
        remember: (leader: number) => belongings.remember(leader),
        clear(leader: number) {
          killGroup(leader, 'SIGKILL');
          return belongings.end();
        },
      };
      return spawn(program, options, { containment });
    },
    close: async () => {},
  };
}

function withVariable(program: Program, name: string, value: string): Program {
  // First, so that a search finds it early; and last, so that the program cannot override it.
  return { ...program, env: { [name]: '', ...program.env, [name]: value } };
}

// The host's side of the warden: starts it with the first plugin, and again if it ends.

interface WardenKeeper {
  /** Ensures that the warden runs; returns why it could not be started. */
  ensure(): Error | undefined;
  /** Ends the warden, after all processes have ended. */
  close(): Promise<void>;
}

/** The file of the warden; undefined if the sources run without a build. */
function wardenProgram(): string | undefined {
  const files = ['./warden.js', '../../../dist/fleet/supervisor/warden.js'];
  return files
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => fs.existsSync(file));
}

/** After so many exits another restart would not help. */
const RESTARTS_MAX = 20;

/** @param program ends the fleet when its stdin ends, unless it read `done` before */
function createWardenKeeper(program: Program): WardenKeeper {
  let warden: ChildProcess | undefined;
  let restarts = 0;
  let closed = false;

  const ensure = (): Error | undefined => {
    if (warden !== undefined || closed) return undefined;
    const started = spawnDetached(program);
    if (started instanceof Error) return started;
    warden = started;
    started.once('exit', () => {
      warden = undefined;
      restarts += 1;
      // If that fails, the next launch tries again and reports it.
      if (restarts <= RESTARTS_MAX) ensure();
    });
    return undefined;
  };

  return {
    ensure,
    async close() {
      closed = true;
      const last = warden;
      if (last === undefined) return;
      last.ref();
      const exited = new Promise((resolve) => last.once('exit', resolve));
      last.stdin?.end('done');
      await exited;
    },
  };
}
