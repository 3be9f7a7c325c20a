// How the processes of one fleet are contained: picks the mode, and does what the modes have in common.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { type ContainmentMode, killGroup, processGroup } from './containment.ts';
import { removeFolder } from './folders.ts';
import { ledgerFile, openLedger, sweepLedgers } from './ledger.ts';
import { killTargets, MARK_VARIABLE, markValue, type Target } from './marks.ts';
import { inNamespace, namespaceContainment, namespacesBy, SWEEP } from './namespace.ts';
import { addDescendants, type ProcessIdentity, readStat, readStats } from './process-table.ts';
import { createReaper, type Reaper } from './reaper.ts';
import { findOutside, pathOutside } from '../trust/containment.ts';
import { notStarted, type Program, type Running, spawn, spawnEnclosed, type SpawnOptions } from './spawn.ts';
import { createWardenKeeper, type WardenKeeper, wardenProgram } from './warden-keeper.ts';

export interface GuardOptions {
  /** Names the fleet among all of this machine. */
  readonly fleet: string;
  readonly mode: ContainmentMode | 'auto';
  /** Where the ledgers of all hosts of this user are. */
  readonly ledgerFolder: string;
  readonly temporaryFolder: string;
  readonly node: string;
  /** Where programs of the system are looked for. */
  readonly searchPath: string;
  /** None of them is taken from these folders. */
  readonly writable: readonly string[];
  /** The marks that the host itself carries. */
  readonly outerMarks: string | undefined;
}

export interface Guard {
  readonly mode: ContainmentMode;
  /** Whether a program sees its checked files, whatever stands in their place. */
  readonly showsChecked: boolean;
  /** Starts a program, contained. */
  spawn(program: Program, launch: string, options?: SpawnOptions): Running;
  /** Ends what is left. */
  close(): Promise<void>;
}

/**
 * Cleans up after hosts that are gone, and gets ready.
 * @throws PluglotError CONFIG_INVALID when the mode that is asked for does not work here
 */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { fleet, ledgerFolder, temporaryFolder } = options;
  const reaper = createReaper();
  await sweepLedgers(ledgerFolder, reaper);
  const means = await pickMeans(options);
  const ledger = openLedger(ledgerFolder, fleet, temporaryFolder);
  const everything = { mark: fleet };
  // The last resort where nobody is left to see the end of the host. It hears of an exit and of an error, but not of signals.
  const endAtExit = () => {
    try {
      killTargets([everything]);
    } catch {
      // It is too late to tell anyone; the ledger tells the next host.
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
      // Nobody can have taken its number yet, even if it has ended.
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

/** What a process starts. */
interface Belongings {
  remember(leader: number): void;
  /** Ends what is left after the exit of the leader. */
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

/** What differs between the modes. */
interface Means {
  readonly mode: ContainmentMode;
  readonly showsChecked: boolean;
  /** Sees that what ends the processes with the host is running; tells why it could not be started. */
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
      ? 'The containment "namespace" does not work here: it needs bubblewrap (bwrap) in PATH, allowed to make PID namespaces. Install it, or choose "auto".'
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
      // The system has ended all of it by the time that the first process of the namespace is gone.
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
  const env = { PATH: pathOutside(options.searchPath, options.writable) };
  return createWardenKeeper({
    command,
    args: [...args, fleet, temporaryFolder, ledgerFile(ledgerFolder, fleet)],
    cwd: '/',
    // What watches over the plugins of a plugin goes with that plugin.
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
  // First, where whoever looks for it finds it soonest; and last, since nobody else may set it.
  return { ...program, env: { [name]: '', ...program.env, [name]: value } };
}
