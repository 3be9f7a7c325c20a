// This program's own stdio as a wire to its host. The one file of the SDK that touches the process.
import { builtins } from '../base/builtins.ts';
import { toError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Peer } from '../channel/peer/peer.ts';
import type { Definition } from '../definition/definition.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { profileOf } from '../definition/run/profile-of.ts';
import type { LogLevel } from '../definition/tool.ts';
import { manifestFile } from '../dialect/manifest-files.ts';
import type { Stop } from './answer-host.ts';
import { readCommandLine, type CommandLine } from './command-line.ts';
import { guardDescriptor } from './guard-descriptor.ts';
import type { FromThread } from './isolate/messages.ts';
import { ownThread, type OwnThread } from './isolate/thread-role.ts';
import { takeWire } from './own-wire.ts';
import { Prints } from './prints.ts';
import type { OwnProcess } from './process-surroundings.ts';
import type { StdioPeerOptions } from './stdio-peer.ts';

export interface ServeOptions {
  /**
   * The one dialect to speak.
   * @default what `--dialect` or PLUGLOT_DIALECT says, else it is recognised from the first that the host says
   */
  readonly dialect?: DialectName;
  /**
   * After the host has closed its side this program finishes what it was asked; it ends when it had nothing to say for so long.
   * @default 30,000
   */
  readonly lingerMs?: number;
  /**
   * Whether failures carry the stack of what was thrown.
   * @default false
   */
  readonly debug?: boolean;
}

/**
 * Answers the host on stdin and stdout for as long as there is one, then ends this program. From now on what is printed goes
 * to the host's log, since a stray print would be noise between the messages.
 */
export function serve(definition: Definition, options: ServeOptions = {}): void {
  const thread = ownThread();
  if (thread !== undefined) {
    serveInThread(definition, thread, options);
    return;
  }
  const commandLine = readCommandLine(process.argv.slice(2), process.env['PLUGLOT_DIALECT']);
  switch (commandLine.kind) {
    case 'serve':
      if (builtins.tty.isatty(0))
        print(`${definition.name} is a plugin and waits for a host. Ctrl-C ends it, --help tells more.`);
      serveOnWire(definition, { ...commandLine, ...options }).then(
        (exitCode) => process.exit(exitCode),
        exitWith(1),
      );
      return;
    case 'help':
    case 'manifest':
      describe(definition, commandLine).then(
        (text) => process.stdout.write(text, () => process.exit(0)),
        exitWith(1),
      );
      return;
    case 'wrong':
      print(commandLine.problem);
      process.exit(2);
  }
}

async function serveOnWire(
  definition: Definition,
  { dialect, config, lingerMs = 30_000, debug }: ServeOptions & { readonly config?: JsonObject },
): Promise<number> {
  const prints = new Prints();
  const { fd, isFile, mixesStderr } = takeWire();
  keepPrintsOffTheWire((level) => prints.stream(level));
  const stray = prints.stream('info');
  if (!isFile) guardDescriptor(1, (bytes) => stray.write(bytes));
  if (mixesStderr) keepStderrOffTheWire(prints.stream('error'));
  // A host that does not read it may close it; nobody hears us then, and that is all.
  process.stderr.on('error', () => {});
  const stopped = untilStopped();
  // Not before the wire is held: the author's code goes on meanwhile, and may print.
  const { serveHost } = await import('./serving.ts');
  const [, entry, ...args] = process.argv;
  return serveHost({
    definition,
    wire: fd,
    prints,
    own: ownProcess(),
    dialect,
    config,
    debug,
    lingerMs,
    print,
    stopped,
    program: entry === undefined ? undefined : { entry, args },
  });
}

/** This program was started once more, in a thread of its own, to run the tools that may block, or to say what it is. */
function serveInThread(definition: Definition, thread: OwnThread, { debug }: ServeOptions): void {
  const { port } = thread;
  if (thread.role === 'described') {
    port.postMessage(profileOf(definition));
    process.exit();
  }
  const tell = (message: FromThread) => {
    port.postMessage(message);
    thread.runAhead.said();
  };
  const prints = new Prints();
  keepPrintsOffTheWire((level) => prints.stream(level));
  prints.handTo({
    log: (entry) => tell({ kind: 'log', entry }),
    hasRoom: () => true,
    drained: () => Promise.resolve(),
  });
  void import('./serving.ts').then(({ serveMainThread }) =>
    serveMainThread({ definition, prints, own: ownProcess(), debug }, port, tell),
  );
}

function ownProcess(): OwnProcess {
  return { env: process.env, home: builtins.os.homedir() };
}

function exitWith(exitCode: number): (thrown: unknown) => void {
  return (thrown) => {
    print(toError(thrown).message);
    process.exit(exitCode);
  };
}

/** For a person, or for the build of the plugin. */
async function describe(
  definition: Definition,
  wanted: Exclude<CommandLine, { kind: 'serve' | 'wrong' }>,
): Promise<string> {
  const { path } = builtins;
  const profile = profileOf(definition);
  const file = process.argv[1] ?? definition.name;
  if (wanted.kind === 'help')
    return (await import('./help.ts')).helpOf(profile, path.relative(process.cwd(), file));
  const program = path.basename(file);
  return `${JSON.stringify(await manifestFile(wanted.of, profile, program), undefined, 2)}\n`;
}

/** Who tells this program to end waits for that; and what it does after an error that nobody caught is not known. */
function untilStopped(): Promise<Stop> {
  return new Promise((resolve) => {
    const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
    for (const [signal, exitCode] of Object.entries(signals))
      process.once(signal, () => resolve({ isStop: true, exitCode }));
    process.on('uncaughtException', (thrown) => {
      const error = toError(thrown);
      print(error.stack ?? error.message);
      resolve({ isStop: true, exitCode: 1, error });
    });
  });
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

export interface StdioOptions extends StdioPeerOptions {
  /**
   * How long this program may go on after its host is gone, to finish what it does. It ends earlier when nothing is left to do.
   * @default 10,000
   */
  readonly lingerMs?: number;
}

/**
 * A peer on stdin and stdout. From now on `console` and `process.stdout` print to stderr, since a stray print would be
 * noise between the messages. The program ends by itself when its host is gone.
 */
export async function openStdio({ lingerMs = 10_000, ...options }: StdioOptions = {}): Promise<Peer> {
  keepPrintsOffTheWire(() => process.stderr);
  const { stdioPeer } = await import('./stdio-peer.ts');
  const peer = stdioPeer(options);
  void peer.ended.then((ending) => {
    if (ending.kind !== 'closed') endWithin(lingerMs);
  });
  return peer;
}

/** For good: after the wire, file descriptor 1 is closed. What writes to it by itself is not seen. */
function keepPrintsOffTheWire(streamOf: (level: LogLevel) => NodeJS.WritableStream): void {
  const { Console } = builtins.console;
  const info = streamOf('info');
  const atDebug = new Console(streamOf('debug'));
  const atError = new Console(streamOf('error'));
  Object.assign(console, new Console(info, streamOf('warn')), {
    debug: (...args: unknown[]) => atDebug.log(...args),
    error: (...args: unknown[]) => atError.log(...args),
  });
  process.stdout.write = info.write.bind(info);
}

/** Some hosts read both from one pipe. */
function keepStderrOffTheWire(stream: NodeJS.WritableStream): void {
  process.stderr.write = stream.write.bind(stream);
}

/** Without a host there is nobody to work for: a timer or server of the author's must not keep an orphan alive. */
function endWithin(lingerMs: number): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
