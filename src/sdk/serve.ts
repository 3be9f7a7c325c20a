// This program's own stdio as a wire to its host. The one file of the SDK that touches the process.
import { builtins } from '../base/builtins.ts';
import { toError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Peer } from '../channel/peer/peer.ts';
import type { Definition } from '../definition/definition.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { manifestOf } from '../definition/run/manifest.ts';
import type { LogLevel } from '../definition/tool.ts';
import { manifestFile } from '../dialect/manifest-files.ts';
import type { Stop } from './answer-host.ts';
import { readCommandLine, type CommandLine } from './command-line.ts';
import type { FromThread } from './isolate/messages.ts';
import { ownThread, type OwnThread } from './isolate/thread-role.ts';
import { takeWire } from './own-wire.ts';
import { Prints } from './prints.ts';
import type { OwnProcess } from './process-host.ts';
import type { StdioPeerOptions } from './stdio-peer.ts';

export interface ServeOptions {
  /**
   * The one dialect to speak.
   * @default that of `--dialect` or PLUGLOT_DIALECT, else detected by the first message of the host
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
        print(`${definition.name} is a plugin and waits for a host. Ctrl-C ends it, --help shows more.`);
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
  // A host that does not read it may close it; then nothing is printed.
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
    port.postMessage(manifestOf(definition));
    process.exit();
  }
  const post = (message: FromThread) => {
    port.postMessage(message);
    thread.runAhead.posted();
  };
  const prints = new Prints();
  keepPrintsOffTheWire((level) => prints.stream(level));
  prints.handTo({
    log: (entry) => post({ kind: 'log', entry }),
    hasRoom: () => true,
    drained: () => Promise.resolve(),
  });
  void import('./serving.ts').then(({ serveMainThread }) =>
    serveMainThread({ definition, prints, own: ownProcess(), debug }, port, post),
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
  const manifest = manifestOf(definition);
  const file = process.argv[1] ?? definition.name;
  if (wanted.kind === 'help')
    return (await import('./help.ts')).helpOf(manifest, path.relative(process.cwd(), file));
  const program = path.basename(file);
  return `${JSON.stringify(await manifestFile(wanted.of, manifest, program), undefined, 2)}\n`;
}

/** The process that ends this program waits for its exit, and its state after an uncaught error is unknown. */
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

/** A timer or server of the author's must not keep a program alive whose host is gone. */
function endWithin(lingerMs: number): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** From now on what is written to it with the functions of `node:fs`, however they were imported, is printed instead. */
export function guardDescriptor(guarded: number, print: (bytes: Uint8Array) => unknown): void {
  const { fs } = builtins;
  const { write, writeSync, writev, writevSync } = fs;
  /** Does what the function does, but prints what would go to the guarded one. */
  const guard =
    <Args extends unknown[], Result>(
      original: (...args: Args) => Result,
      instead: (bytes: Buffer, data: unknown, rest: unknown[]) => Result,
    ) =>
    (...args: Args): Result => {
      const [fd, data, ...rest] = args;
      const bytes = fd === guarded ? bytesOf(data, rest) : undefined;
      // What makes no sense is refused by the original, before it writes anything.
      return bytes === undefined ? original(...args) : instead(bytes, data, rest);
    };
  const printNow = (bytes: Buffer): number => {
    print(bytes);
    return bytes.length;
  };
  const printAndCall = (bytes: Buffer, data: unknown, rest: unknown[]): void => {
    print(bytes);
    const done = rest.at(-1);
    if (typeof done === 'function')
      process.nextTick(() => void Reflect.apply(done, undefined, [null, bytes.length, data]));
  };
  Object.assign(fs, {
    write: guard((...args: unknown[]) => void Reflect.apply(write, fs, args), printAndCall),
    writev: guard((...args: unknown[]) => void Reflect.apply(writev, fs, args), printAndCall),
    writeSync: guard((...args: unknown[]) => Number(Reflect.apply(writeSync, fs, args)), printNow),
    writevSync: guard((...args: unknown[]) => Number(Reflect.apply(writevSync, fs, args)), printNow),
  });
  builtins.module.syncBuiltinESMExports();
}

/** By the forms of `fs.write`: a text and its encoding, bytes and a part of them, or several pieces. */
function bytesOf(data: unknown, rest: readonly unknown[]): Buffer | undefined {
  if (typeof data === 'string') {
    const encoding = rest.find((value) => typeof value === 'string');
    return Buffer.from(data, encoding !== undefined && Buffer.isEncoding(encoding) ? encoding : 'utf8');
  }
  if (Array.isArray(data)) {
    const pieces = data.map((piece: unknown) => bytesOf(piece, []));
    return pieces.includes(undefined)
      ? undefined
      : Buffer.concat(pieces.filter((piece) => piece !== undefined));
  }
  if (!ArrayBuffer.isView(data)) return undefined;
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [offset, length] = partOf(rest);
  return whole.subarray(offset, length === undefined ? undefined : offset + length);
}

function partOf([first, second]: readonly unknown[]): [offset: number, length: number | undefined] {
  const { offset, length } =
    typeof first === 'object' && first !== null
      ? { offset: 0, length: undefined, ...first }
      : { offset: first, length: second };
  return [typeof offset === 'number' ? offset : 0, typeof length === 'number' ? length : undefined];
}
