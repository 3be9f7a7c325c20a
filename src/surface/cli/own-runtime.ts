// A runtime of this command: with the plugin behind `--`, or with what is configured here.
import path from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { printable, printableLine } from '../../base/printable.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { dialectNames, type DialectName, type PluginSpec } from '../../definition/plugin-spec.ts';
import { hostDialects } from '../../dialect/hosts.ts';
import { detectDialect } from '../../fleet/detection/detect-dialect.ts';
import { pluginName } from '../../fleet/discovery/candidate.ts';
import { homeFolders } from '../../fleet/discovery/config-places.ts';
import { discover, type Discovery } from '../../fleet/discovery/discover.ts';
import type { Detect } from '../../fleet/plugin/environment.ts';
import { shownMessage } from '../../fleet/recording/shown-message.ts';
import type { Launcher } from '../../fleet/supervisor/launcher.ts';
import type { ApprovalQueue } from '../../gate/approval/queue.ts';
import { builtInNames } from '../../runtime/built-in-names.ts';
import type { BundledPlugins } from '../../runtime/bundled.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import { problemsOf } from '../../runtime/problems.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { CommandContext } from './context.ts';
import { logShown, logText, markedLine } from './log-lines.ts';
import { personAt, type TerminalPerson } from './person.ts';
import { showProblems } from './problems.ts';
import { warn, type Terminal } from './terminal.ts';

export interface RuntimeChoice {
  readonly dialect?: string;
  /** Whether problems of the configuration are printed first. @default true */
  readonly showsProblems?: boolean;
  /** The built-in plugins are wanted too; a running `up` has them anyway. @default when one is named */
  readonly builtIns?: boolean;
}

export interface OwnRuntimeChoice extends RuntimeChoice {
  /** Files are read again while it lives, and plugins may ask something of their callers. */
  readonly isLongLived?: boolean;
  /** Whether the plugin behind `--` is restarted when it fails. @default true */
  readonly restarts?: boolean;
  /** The plugin behind `--` is started while the rest is loaded. @default false */
  readonly startsTyped?: boolean;
  /** Messages on the wires are kept to be looked at. @default false */
  readonly keepsTraffic?: boolean;
  /** @default the person at the terminal */
  readonly person?: TerminalPerson | undefined;
  /** Questions that are answered elsewhere. */
  readonly approvals?: ApprovalQueue;
  /** Only these of the plugins that are found. @default all */
  readonly only?: readonly string[];
  /** Chooses example plugins by what was found first. */
  readonly examples?: (found: Discovery) => BundledPlugins | undefined;
}

/** For a command that may also use a running `up`. */
export async function openForCommand(context: CommandContext, choice: RuntimeChoice): Promise<Runtime> {
  const runtime = await openOwnRuntime(context, { ...choice, startsTyped: true });
  try {
    if (context.command === undefined && choice.showsProblems !== false)
      showProblems(context, problemsOf(await runtime.plugins()));
    return runtime;
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

export async function openOwnRuntime(context: CommandContext, choice: OwnRuntimeChoice): Promise<Runtime> {
  const { command, cwd, env, home, err, verbosity, configFile, version } = context;
  const { isLongLived = false, person = personAt(context), approvals, keepsTraffic = false } = choice;
  const spec = command === undefined ? undefined : specOfCommand(command, choice, cwd);
  const typed = spec && (choice.restarts === false ? { ...spec, restart: { max: 0 } } : spec);
  const { createRuntime } = await import('../../runtime/create-runtime.ts');
  const runtime = await createRuntime({
    cwd,
    env,
    home,
    ...(configFile !== undefined && { configFile }),
    ...selection(choice),
    version,
    caller: { kind: 'user' },
    plugins: typed === undefined ? {} : { [typed.name]: typed },
    startsPlugins: choice.startsTyped === true,
    readsFiles: typed === undefined,
    followsFiles: isLongLived,
    tracing: isLongLived,
    relaysQuestions: isLongLived,
    ...(typed !== undefined ? { builtIns: false } : choice.builtIns !== true && { builtIns: 'by-name' }),
    traffic: keepsTraffic,
    ...(approvals && { approvals }),
    ...(person && { person, terminal: person.approvals }),
    detect: (launcher, ...asked) => detect(context, launcher, ...asked),
    ...(typed === undefined && { logFolder: logFolder(homeFolders(env, home).state) }),
    ...(err.live && { openUrl: (url, plugin) => showAddress(context, url, plugin) }),
    print: (line) => err.line(printableLine(line, LINE_MAX)),
    log(plugin, entry) {
      const record = { at: Date.now(), source: 'plugin', ...entry } as const;
      if (logShown(record, verbosity)) err.line(logText(err, record, `${err.colours.cyan(plugin)} `));
    },
    ...(verbosity > 1 && {
      onMessage({ plugin, isOnly, secrets, direction, message }) {
        showMessage(err, secrets, isOnly ? '' : `${plugin} `, direction, message);
      },
    }),
  });
  try {
    await runtime.look();
  } catch (error) {
    await runtime.close();
    throw error;
  }
  return runtime;
}

/** Whether there are examples is decided once: a plugin that is added later does not take them away. */
function selection({ only = [], examples: choose }: OwnRuntimeChoice) {
  let chosen: { readonly examples: BundledPlugins | undefined } | undefined;
  return {
    select(found: Discovery): Discovery {
      const wanted = onlyNamed(found, only);
      chosen ??= { examples: choose?.(wanted) };
      return chosen.examples?.beside(wanted) ?? wanted;
    },
    allowedTools: () => chosen?.examples?.allowed() ?? noTools,
  };
}

const noTools: readonly string[] = [];

/** All where none is named. */
function onlyNamed(found: Discovery, only: readonly string[]): Discovery {
  if (only.length === 0) return found;
  const isMeant = (name: string) => only.includes(name);
  return {
    ...found,
    plugins: found.plugins.filter(({ spec }) => isMeant(spec.name)),
    modules: found.modules.filter(({ module }) => isMeant(module.name)),
    names: found.names.filter(isMeant),
    // A built-in plugin that is named is meant for clients.
    builtIns: (found.builtIns ?? [])
      .filter(({ name }) => isMeant(name))
      .map((one) => ({ ...one, clients: one.clients ?? true })),
  };
}

const LINE_MAX = 2000;

function showAddress({ err }: CommandContext, url: string, plugin: string): void {
  warn(err, `${printableLine(plugin)} asks you to sign in. Open this address:`);
  err.line(`  ${printableLine(url, LINE_MAX)}`);
}

/** What is configured where the command was typed. */
export function discoverHere({
  cwd,
  home,
  env,
  configFile,
}: Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFile'>): Promise<Discovery> {
  const named = configFile === undefined ? {} : { configFile };
  return discover({ cwd, home, env, builtIns: builtInNames, ...named });
}

export function logFolder(stateFolder: string): string {
  return path.join(stateFolder, 'logs');
}

export function showMessage(
  terminal: Terminal,
  secrets: Secrets,
  who: string,
  direction: 'sent' | 'received',
  message: Message | Received,
): void {
  const { dim, cyan, magenta } = terminal.colours;
  const arrow = direction === 'sent' ? cyan('→') : magenta('←');
  const { text, size } = shownMessage(message, secrets, LENGTH_MAX);
  const cut = text.length < size ? `… (${size} characters)` : '';
  terminal.line(markedLine(terminal, `${arrow} ${who}`, printable(`${text}${cut}`), { paint: dim }));
}

const LENGTH_MAX = 4000;

export async function detect(
  { err, verbosity }: CommandContext,
  launcher: Launcher,
  ...[spec, signal, onStderr]: Parameters<Detect>
): Promise<DialectName> {
  const dialects = await Promise.all(Object.values(hostDialects).map((load) => load()));
  // It prints the same again when it is started; where that does not happen, this is its output.
  const kept: Buffer[] = [];
  try {
    return await detectDialect(spec, {
      launcher,
      dialects,
      clock: systemClock,
      signal,
      onSlow: () => err.progress(`${spec.name} is still starting … (Ctrl-C gives up)`),
      onStderr: verbosity > 0 ? onStderr : (chunk) => kept.length < KEPT_MAX && kept.push(chunk),
    });
  } catch (thrown) {
    for (const chunk of kept) onStderr(chunk);
    throw thrown;
  }
}

/** Chunks, of up to 64 KiB each. */
const KEPT_MAX = 64;

/** A typed command is trusted. Its name is that of the program, for messages. */
export function specOfCommand(
  command: readonly string[],
  { dialect }: { readonly dialect?: string },
  cwd: string,
): PluginSpec {
  const [program, ...args] = command;
  if (program === undefined || program === '') {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      'Nothing stands behind `--`. Give the command that starts the plugin.',
    );
  }
  return {
    name: pluginName(nameOfCommand(command)) ?? nameOfCommand(command),
    start: { kind: 'program', command: program, args, cwd },
    ...(isDialect(dialect) ? { dialect } : {}),
  };
}

function isDialect(name: string | undefined): name is DialectName {
  return name !== undefined && (dialectNames as readonly string[]).includes(name);
}

/** `node tools/dice.mjs --fast` is "dice", `npx -y @scope/server-memory@1.2` is "server-memory". */
export function nameOfCommand(command: readonly string[]): string {
  const program = path.parse(command[0] ?? '').name;
  const packaged = packageIn(program, command.slice(1));
  if (packaged !== undefined) return packaged;
  const script = command.slice(1).find((word) => /\.(?:[cm]?[jt]s|py)$/.test(word)) ?? command[0] ?? '';
  const { name, dir } = path.parse(script);
  const generic = /^(?:index|main|plugin|server|extension)$/.test(name) && dir !== '' && dir !== '.';
  return generic ? path.basename(dir) : name;
}

/** Programs that run packages by name, and the word before the name. */
const runners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  npm: ['exec', 'x'],
  bun: ['x'],
  pipx: ['run'],
  docker: ['run'],
  podman: ['run'],
};

/** Options whose next word is their value. */
const withValue =
  /^(?:-e|--env|-v|--volume|-p|--publish|--mount|--name|--network|-u|--user|-w|--workdir|--package|--from|--with|--python|--env-file|--entrypoint)$/;

function packageIn(program: string, args: readonly string[]): string | undefined {
  const words = Object.hasOwn(runners, program) ? runners[program] : undefined;
  if (words === undefined) return undefined;
  const isNamed = words.length === 0 || words.includes(args[0] ?? '');
  if (!isNamed) return undefined;
  let isValue = false;
  for (const word of args.slice(words.length === 0 ? 0 : 1)) {
    if (isValue) isValue = false;
    else if (withValue.test(word)) isValue = true;
    else if (!word.startsWith('-')) return bareName(word);
  }
  return undefined;
}

/** Without scope, registry, version and tag. */
function bareName(word: string): string | undefined {
  const name = /([^/@:=<>~[\]]+)(?:\[[^\]]*\])?(?:[@:=<>~].*)?$/.exec(word.replace(/^@[^/]*\//, ''))?.[1];
  return name === undefined || name === '' || name === '.' || name === '..' ? undefined : name;
}
