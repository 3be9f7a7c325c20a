// Detects the dialect of a program: starts a process for each dialect, all at once, and ends all of them.
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { late, within } from '../../base/async.ts';
import { standardErrors } from '../../channel/message/rpc-error.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import type { HostDialect, HostServices } from '../../dialect/host-dialect.ts';
import type { Launcher } from '../supervisor/launcher.ts';
import type { Exit, Running } from '../supervisor/spawn.ts';

export interface DetectOptions {
  readonly launcher: Launcher;
  readonly dialects: readonly HostDialect[];
  readonly clock: Clock;
  /** Cancels it. */
  readonly signal?: AbortSignal;
  /** Called once, if it takes long: the program may still be downloaded or built. */
  readonly onSlow?: () => void;
  /** Called with the stderr of one of its processes. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** After this time without output it counts as slow; a program that printed anything has started and needs no longer. */
const SLOW_MS = 5000;

/**
 * A manifest on disk decides at once. Otherwise each dialect starts its handshake with a process of its own, since a message of one
 * dialect can break a program of another; the first completed handshake wins. If there is none, it is the one dialect whose handshake was
 * understood and refused: starting the plugin then reports why. A silent program gets the start limit of its spec, otherwise ten seconds,
 * or the longest limit of all dialects if it may have to be downloaded.
 * @throws PluglotError DIALECT_UNKNOWN with the result of each dialect, PLUGIN_EXITED when every process ended by itself, and errors of
 *   the launcher
 */
export async function detectDialect(spec: PluginSpec, options: DetectOptions): Promise<DialectName> {
  const known = spec.dialect ?? dialectOfManifest(spec);
  if (known !== undefined) return known;
  const { clock, dialects, signal } = options;
  const startMs = spec.limits?.startMs ?? patienceWith(spec, dialects);
  const over = new AbortController();
  const startedAt = clock.now();
  let waitedMs = 0;
  const giveUp = () => {
    waitedMs ||= clock.now() - startedAt;
    over.abort();
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  const onStderr = ofTheFirst(options.onStderr);
  const attempts = dialects.map((dialect) => ask(dialect, spec, options, over.signal, onStderr()));
  const callOff = [clock.after(startMs, giveUp), clock.after(SLOW_MS, () => options.onSlow?.())];
  for (const attempt of attempts)
    void attempt.then(({ result }) => {
      // The program has started: dialects without a response by now will hardly get one.
      const restMs = Math.max(SLOW_MS - (clock.now() - startedAt), SLOW_MS / 2);
      if (!result.ok && result.isAnswer) callOff.push(clock.after(restMs, giveUp));
    });
  try {
    return await firstAnswer(spec, options, attempts, () => waitedMs);
  } finally {
    for (const call of callOff) call();
    signal?.removeEventListener('abort', giveUp);
    over.abort();
    await Promise.all(attempts.map(async (attempt) => (await attempt).gone));
  }
}

/** A program that has to be downloaded first gets the longest start limit of all dialects; any other responds soon, or never. */
function patienceWith({ start }: PluginSpec, dialects: readonly HostDialect[]): number {
  const words = start.kind === 'program' ? [start.command, ...(start.args ?? [])] : [];
  const isFetched = words.slice(0, 2).some((word) => FETCHERS.has(path.basename(word)));
  return isFetched ? Math.max(...dialects.map(({ traits }) => traits.limits.startMs)) : SILENT_MS;
}

const SILENT_MS = 10_000;
const FETCHERS: ReadonlySet<string> = new Set(
  'bunx cargo deno docker dotnet go npm npx pipx pnpm podman uv uvx yarn'.split(' '),
);

/** The result for one dialect; never rejects. */
type Attempt = {
  readonly dialect: DialectName;
  readonly result: { readonly ok: true } | Failure;
  /** Resolves when all of its process has ended. */
  readonly gone: Promise<unknown>;
};

interface Failure {
  readonly ok: false;
  readonly error: Error;
  /** How its process ended, if it ended by itself. */
  readonly exit?: Exit;
  /** It answered, with an error. */
  readonly isAnswer?: boolean;
  readonly isSilence?: boolean;
  readonly isNotLaunched?: boolean;
  readonly stderr?: string;
}

async function firstAnswer(
  spec: PluginSpec,
  options: DetectOptions,
  attempts: readonly Promise<Attempt>[],
  waitedMs: () => number,
): Promise<DialectName> {
  const winner = await new Promise<Attempt | undefined>((resolve) => {
    for (const attempt of attempts)
      void attempt.then((ended) => {
        if (ended.result.ok) resolve(ended);
      });
    void Promise.all(attempts).then(() => resolve(undefined));
  });
  if (winner !== undefined) return winner.dialect;
  if (options.signal?.aborted === true) {
    throw new PluglotError('CALL_CANCELLED', `Asking "${spec.name}" which dialect it speaks was given up.`);
  }
  const all = await Promise.all(attempts);
  const [refused, ...others] = all.filter(({ result }) => !result.ok && isRefusal(result.error));
  if (refused !== undefined && others.length === 0) return refused.dialect;
  throw failure(spec, all, waitedMs());
}

/** Whether the plugin understood the handshake and failed; an unknown method says nothing about its dialect. */
function isRefusal({ cause }: Error): boolean {
  return (
    cause instanceof Error &&
    'code' in cause &&
    typeof cause.code === 'number' &&
    !NOT_UNDERSTOOD.has(cause.code)
  );
}

const { parseError, invalidRequest, methodNotFound, invalidParams } = standardErrors;
const NOT_UNDERSTOOD: ReadonlySet<number> = new Set(
  [parseError, invalidRequest, methodNotFound, invalidParams].map(({ code }) => code),
);

async function ask(
  dialect: HostDialect,
  spec: PluginSpec,
  { launcher, clock }: DetectOptions,
  signal: AbortSignal,
  onStderr: (chunk: Buffer) => void,
): Promise<Attempt> {
  let running: Running;
  try {
    running = await launcher.launch(asOneDialect(spec), { onStderr });
  } catch (thrown) {
    const result = { ok: false, error: toError(thrown), isNotLaunched: true } as const;
    return { dialect: dialect.name, result, gone: Promise.resolve() };
  }
  const services: HostServices = {
    clock,
    signal,
    log: () => {},
    trouble: () => {},
    toolsChanged: () => {},
    hasCommand: (command) => launcher.hasCommand(spec, command),
  };
  const stop = () => running.stop({ stdinMs: 100, termMs: 300 });
  try {
    if (signal.aborted) throw new Error('given up');
    const end = await dialect.connect(running.pipe, { ...spec, dialect: dialect.name }, services);
    end.close();
    if (end.isAssumed === true) throw new Error(UNCERTAIN);
    return { dialect: dialect.name, result: { ok: true }, gone: stop() };
  } catch (thrown) {
    const error = toError(thrown);
    const isSilence = signal.aborted;
    const isBroken = error instanceof PluglotError && error.code === 'PIPE_ENDED';
    // A pipe ends a moment before the exit of the process is known.
    const exit = await within(running.exited, isBroken ? EXIT_MS : 0, clock);
    const result: Failure = {
      ok: false,
      error,
      isSilence,
      isAnswer: !isSilence && !isBroken && exit === late,
      stderr: running.stderr(),
      ...(exit === late ? {} : { exit }),
    };
    return { dialect: dialect.name, result, gone: stop() };
  }
}

/**
 * A program on the SDK answers in every dialect, so the first response would decide at random. The variable makes it speak the one that
 * describes tools best; other programs ignore it.
 */
function asOneDialect(spec: PluginSpec): PluginSpec {
  const { start } = spec;
  if (start.kind !== 'program') return spec;
  return { ...spec, start: { ...start, env: { PLUGLOT_DIALECT: 'mcp', ...start.env } } };
}

/** Several processes print much the same: only the first one counts. */
function ofTheFirst(listener: ((chunk: Buffer) => void) | undefined): () => (chunk: Buffer) => void {
  let first: object | undefined;
  return () => {
    const self = {};
    return (chunk) => {
      first ??= self;
      if (first === self) listener?.(chunk);
    };
  };
}

/** Any program that answers JSON-RPC would match. */
const UNCERTAIN = 'it answers, and that says nothing: name this dialect if it is the one';

const EXIT_MS = 500;

/** It ran to its end and is not a plugin. */
function isDone(exit: Exit): boolean {
  return exit.kind === 'exited' && exit.exitCode === 0;
}

const DONE = 'A plugin goes on for as long as its host is there: one on the SDK has to call serve().';

function failure(spec: PluginSpec, attempts: readonly Attempt[], waitedMs: number): PluglotError {
  const failures = attempts.flatMap(({ dialect, result }) => (result.ok ? [] : [{ dialect, ...result }]));
  // Errors of the launch do not depend on the dialect.
  const [notLaunched] = failures.filter(({ isNotLaunched }) => isNotLaunched === true);
  if (notLaunched?.error instanceof PluglotError) return notLaunched.error;
  const exits = failures.flatMap(({ exit }) => (exit === undefined ? [] : [exit]));
  const [exit] = exits;
  const stderr = failures
    .map((one) => one.exit?.stderr ?? one.stderr ?? '')
    .find((text) => text.trim() !== '');
  if (exit !== undefined && exits.length === failures.length) {
    const how =
      exit.kind === 'not-started' ? `could not be started: ${exit.error.message}` : howItExited(exit);
    return new PluglotError(
      'PLUGIN_EXITED',
      `Plugin "${spec.name}" ${how} before it had answered in any dialect.${isDone(exit) ? ` ${DONE}` : ''}`,
      { stderr },
    );
  }
  const seconds = `${Math.round(waitedMs / 100) / 10} s`;
  if (failures.every(({ isSilence }) => isSilence === true))
    return new PluglotError(
      'DIALECT_UNKNOWN',
      `"${spec.name}" was asked in every dialect that pluglot knows: no answer within ${seconds}. If it needs longer to start, raise limits.startMs or name its dialect; if it is no plugin, it waits for something else.`,
      { stderr },
    );
  const each = failures
    .map(({ dialect, error, isSilence }) =>
      isSilence === true ? `${dialect}: no answer within ${seconds}` : `${dialect}: ${error.message}`,
    )
    .join('\n  ');
  return new PluglotError(
    'DIALECT_UNKNOWN',
    `"${spec.name}" answered in no dialect that pluglot knows. Name it with --dialect if it has one. What became of each:\n  ${each}`,
    { stderr },
  );
}

function howItExited({ exitCode, signal }: Extract<Exit, { kind: 'exited' }>): string {
  return signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
}

function dialectOfManifest({ manifest, start }: PluginSpec): DialectName | undefined {
  if (start.kind === 'http') return 'mcp';
  if (!isJsonObject(manifest)) return undefined;
  if ('functions' in manifest || 'manifestVersion' in manifest) return 'gassist';
  return 'entry' in manifest || 'interfaces' in manifest ? 'yams' : undefined;
}
