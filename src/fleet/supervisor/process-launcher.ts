// From a spec to a contained process: finds the program, creates its folders and environment, starts it, and cleans up after it.
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import type { PluginSpec, SandboxSpec } from '../../definition/plugin-spec.ts';
import { allowedEnvironment, secretsOfHost, secretsOfSpec } from './environment.ts';
import type { ContainmentMode } from './containment.ts';
import { createFolders, removeFolder, temporaryFolderOf } from './folders.ts';
import { createGuard, type Guard } from './guard.ts';
import { type ProgramLauncher, readPinned } from './launcher.ts';
import { MARK_VARIABLE } from './reaper.ts';
import { findPluginProgram, pathOf, searchPathOf } from './plugin-program.ts';
import { createPython } from './interpreters.ts';
import { findInPath } from '../../base/search-path.ts';
import { notStarted, type Exit, type Program, type Running } from './spawn.ts';

export interface LauncherOptions {
  /** The environment of the host. Plugins get an allowed part of it, and what their spec refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of data folders and the ledger of processes. */
  readonly stateFolder: string;
  /**
   * Where folders for temporary files are created.
   * @default the system's
   */
  readonly temporaryFolder?: string;
  /**
   * Where relative paths start.
   * @default the working folder of the host
   */
  readonly hostFolder?: string;
  /**
   * The program that runs JavaScript.
   * @default the Node that runs the host
   */
  readonly node?: string;
  /**
   * How processes are kept from outliving the host; `auto`: the best that works here.
   * @default 'auto'
   */
  readonly containment?: ContainmentMode | 'auto';
  /**
   * Confines plugins whose specs require it. Throws if that does not work here.
   * @default nothing: such plugins are not started
   */
  readonly confine?: () => Promise<ConfinePlugin>;
  /**
   * Folders that confined programs can write to: programs that no spec names, such as bubblewrap and Python, are not used from there.
   * @default none
   */
  readonly writable?: () => Promise<readonly string[]>;
}

/** The same program, confined. @throws PluglotError CONFIG_INVALID when a folder cannot be shown */
export type ConfinePlugin = (program: PluginToConfine) => Program;

export interface PluginToConfine {
  readonly plugin: string;
  readonly program: Program & { readonly cwd: string };
  readonly sandbox: SandboxSpec;
  /** Where the plugin itself is. */
  readonly folder: string;
  /** The folders that it may write to. */
  readonly writable: readonly string[];
}

export function createLauncher(options: LauncherOptions): ProgramLauncher {
  const { env, stateFolder, writable = async () => [] } = options;
  const host = {
    env,
    folder: options.hostFolder ?? process.cwd(),
    node: options.node ?? process.execPath,
    python: createPython(allowedEnvironment(env), writable),
  };
  const fleet = randomBytes(6).toString('hex');
  const temporaryFolder = temporaryFolderOf(fleet, options.temporaryFolder ?? os.tmpdir());
  const folders = createFolders(stateFolder, temporaryFolder);
  const living = new Set<Running>();
  let guard: Promise<Guard> | undefined;
  let launches = 0;
  let closed = false;

  const makeGuard = async () =>
    createGuard({
      fleet,
      mode: options.containment ?? 'auto',
      ledgerFolder: path.join(stateFolder, 'fleets'),
      temporaryFolder,
      node: host.node,
      searchPath: pathOf(env),
      writable: await writable(),
      outerMarks: env[MARK_VARIABLE],
    });
  const getGuard = (): Promise<Guard> => {
    guard ??= makeGuard().catch((thrown: unknown) => {
      // The obstacle may be gone at the next launch.
      guard = undefined;
      throw notReady(thrown, stateFolder);
    });
    return guard;
  };

  return {
    containment: async () => (await getGuard()).mode,

    async launch(spec, spawnOptions) {
      if (closed) throw hostIsClosing(`Plugin "${spec.name}"`);
      const guard = await getGuard();
      const found = await findPluginProgram(spec, host, spawnOptions?.pinned);
      const confine = await confinementOf(spec, options.confine);
      const files = await readPinned(spec.name, spawnOptions?.pinned ?? [], guard.showsChecked);
      // Synchronous from here to the start: when the launcher is closed, the process is either known or not started.
      if (closed) throw hostIsClosing(`Plugin "${spec.name}"`);
      launches += 1;
      const launch = String(launches);
      const own = makeFolders(() => folders.forProcess(spec.name, launch), stateFolder);
      const equipped = found.equip(own);
      const checked = files.checked.length > 0 ? { ...equipped, checked: files.checked } : equipped;
      const program = confine(checked, found.folder, Object.values(own));
      const running = guard.spawn(program, launch, spawnOptions);
      living.add(running);
      const gone = running.gone.then(() => {
        living.delete(running);
        return removeFolder(path.join(temporaryFolder, launch));
      });
      if (running.pid === undefined) throw startFailure(spec.name, program, await running.exited);
      try {
        await files.confirm();
      } catch (thrown) {
        await running.stop({ stdinMs: 0, termMs: 0 });
        throw thrown;
      }
      const stop: Running['stop'] = async (limits) => {
        const exit = await running.stop(limits);
        await gone;
        return exit;
      };
      return { ...running, gone, stop, confirm: () => files.confirm() };
    },

    async programs() {
      const guard = await getGuard();
      return (program, spawnOptions) => {
        if (closed) return notStarted(hostIsClosing(`Program "${program.command}"`));
        launches += 1;
        const running = guard.spawn(program, String(launches), spawnOptions);
        living.add(running);
        void running.gone.then(() => living.delete(running));
        return running;
      };
    },

    secretsOf: (spec) => [...secretsOfSpec(spec, host), ...secretsOfHost(env)],

    hasCommand: (spec, command) => findInPath(command, searchPathOf(spec, host)) !== undefined,

    async close() {
      closed = true;
      await Promise.all([...living].map((running) => running.stop({ stdinMs: 0, termMs: 0 })));
      // A failed set-up has nothing to end.
      await (await guard?.catch(() => undefined))?.close();
    },
  };
}

type Confine = (program: PluginToConfine['program'], folder: string, writable: readonly string[]) => Program;

/** Never less than the spec requires. */
async function confinementOf(
  { name: plugin, sandbox = false }: PluginSpec,
  find: LauncherOptions['confine'],
): Promise<Confine> {
  if (sandbox === false) return (program) => program;
  if (find === undefined)
    throw new PluglotError(
      'PROGRAM_NOT_FOUND',
      `Plugin "${plugin}" cannot be started: it is to be confined, and this host has no sandbox. Remove "sandbox" from its configuration to run it without.`,
    );
  const confine = await find();
  const asked = sandbox === true ? {} : sandbox;
  return (program, folder, writable) => confine({ plugin, program, folder, writable, sandbox: asked });
}

function makeFolders<T>(make: () => T, stateFolder: string): T {
  try {
    return make();
  } catch (thrown) {
    throw notReady(thrown, stateFolder);
  }
}

function notReady(thrown: unknown, stateFolder: string): Error {
  if (thrown instanceof PluglotError) return thrown;
  return new PluglotError(
    'START_FAILED',
    `No plugin can be started: the folders for their data and temporary files cannot be made (${toError(thrown).message}). Make ${stateFolder} writable, or choose another.`,
    { cause: thrown },
  );
}

/** The message of a system error names the program; its other properties contain arguments, which may be secret. */
function startFailure(plugin: string, program: Program, exit: Exit): PluglotError {
  const code =
    exit.kind === 'not-started' && 'code' in exit.error ? String(exit.error.code) : 'an unknown error';
  const way = wayOut[code] ?? 'Try to run it from a terminal.';
  return new PluglotError(
    code === 'ENOENT' || code === 'EACCES' ? 'PROGRAM_NOT_FOUND' : 'START_FAILED',
    `Plugin "${plugin}" cannot be started: the system refused to run ${program.command} (${code}). ${way}`,
  );
}

const wayOut: Readonly<Record<string, string>> = {
  EMFILE: 'The host has too many files open: stop some plugins, or raise the limit (ulimit -n).',
  ENFILE: 'The system has too many files open: end some programs.',
  EAGAIN: 'There are too many processes: stop some plugins, or raise the limit (ulimit -u).',
  ENOMEM: 'There is not enough memory: stop some plugins.',
  E2BIG: 'Its arguments and environment are too long: shorten "args" or "env".',
};

function hostIsClosing(what: string): PluglotError {
  return new PluglotError('PLUGIN_STOPPED', `${what} cannot be started: the host is closing.`);
}
