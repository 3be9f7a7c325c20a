// Runs the checks of a dialect against a plugin: several at once, each with its own processes and within its limit.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { PluglotError, toError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import { late, within } from '../base/async.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { type Check, type Finding, failed, doesNotApply, NotApplicable } from './check.ts';
import { type Probe, Unmet, type PluginProcess } from './conversation.ts';
import { checksOf, driverOf } from './dialects.ts';
import { patientLimits, defaultCheckLimits, type CheckLimits } from './limits.ts';
import { officialSdkOf, type OfficialSdk } from './official-sdks.ts';
import { makeReport, type CheckReport, type CheckResult } from './report.ts';
import { type SubjectOptions, type Subjects, createSubjects } from './subject.ts';

export interface RunChecksOptions {
  /** For the report and for messages. */
  readonly plugin: string;
  readonly dialect: DialectName;
  /** Starts a fresh process of the plugin. */
  start(): Promise<PluginProcess>;
  /** The manifest beside the plugin, where its dialect has one. */
  readonly manifest?: JsonObject | undefined;
  /**
   * What to call.
   * @default the tool that looks most harmless, with the least arguments that its schema takes
   */
  readonly tool?: Probe | undefined;
  /**
   * A long call, for the checks of what happens while a call runs.
   * @default the longest call of a read-only tool, or many short ones at once
   */
  readonly slowTool?: Probe | undefined;
  /**
   * Runs only the checks whose id contains one of these; `*` stands for anything.
   * @default all
   */
  readonly only?: readonly string[] | undefined;
  /**
   * How many checks run at once.
   * @default 4
   */
  readonly concurrency?: number;
  readonly limits?: Partial<CheckLimits>;
  readonly clock?: Clock;
  /** Cancels the checks. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each result, in any order. */
  readonly onResult?: (result: CheckResult, done: number, all: number) => void;
}

/**
 * @throws PluglotError START_FAILED when the handshake fails, INVALID_ARGUMENTS when no check is selected,
 *   CALL_CANCELLED, and what `start` throws
 */
export async function runChecks(options: RunChecksOptions): Promise<CheckReport> {
  const { clock = systemClock, dialect, plugin } = options;
  const checks = selectChecks(checksOf(dialect), options.only);
  const startedAt = clock.now();
  const workdir = await fs.mkdtemp(path.join(os.tmpdir(), 'pluglot-check-'));
  const subjectOptions: SubjectOptions = {
    driver: driverOf(dialect),
    limits: { ...defaultCheckLimits, ...options.limits },
    clock,
    workdir,
    start: () => options.start(),
    manifest: options.manifest,
    probe: options.tool,
    slow: options.slowTool,
  };
  try {
    const { tool, limits } = await firstContact(plugin, subjectOptions, options.signal);
    const results = await runAll(checks, { ...subjectOptions, limits }, options);
    const sdk = results.some(({ verdict }) => verdict === 'failed')
      ? await sdkOf({ ...subjectOptions, limits }, options.signal)
      : undefined;
    return makeReport({ plugin, dialect, tool, durationMs: clock.now() - startedAt }, results, sdk);
  } finally {
    await fs.rm(workdir, { recursive: true, force: true });
  }
}

async function runAll(
  checks: readonly Check[],
  subjectOptions: SubjectOptions,
  { concurrency = 4, signal, onResult }: RunChecksOptions,
): Promise<CheckResult[]> {
  return withSubjects(subjectOptions, signal, (subjects) =>
    sideBySide(checks, concurrency, async (check, done) => {
      if (signal?.aborted === true) throw givenUp();
      const result = await runOne(check, subjects, subjectOptions);
      onResult?.(result, done(), checks.length);
      return result;
    }),
  );
}

/** All processes have ended afterwards; the signal ends them, and every wait, earlier. */
async function withSubjects<Result>(
  options: SubjectOptions,
  signal: AbortSignal | undefined,
  use: (subjects: Subjects) => Promise<Result>,
): Promise<Result> {
  const subjects = createSubjects(options);
  const giveUp = () => void subjects.release();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await use(subjects);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    await subjects.release();
  }
}

function givenUp(): PluglotError {
  return new PluglotError('CALL_CANCELLED', 'The checks were given up.');
}

/**
 * Without a handshake there is nothing to check. A call that never ends is detected here once, so that not every check has to
 * wait for it.
 */
function firstContact(
  plugin: string,
  options: SubjectOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly tool: string; readonly limits: CheckLimits }> {
  return withSubjects(options, signal, async (subjects) => {
    const { subject } = subjects.forCheck();
    try {
      const startedAt = options.clock.now();
      const { conversation, probe } = await subject.connect();
      const limits = patientLimits(options.limits, options.clock.now() - startedAt);
      const isEnding = await conversation.call(probe).then(
        () => true,
        () => false,
      );
      return { tool: probe.tool, limits: isEnding ? limits : { ...limits, callMs: limits.answerMs } };
    } catch (thrown) {
      if (signal?.aborted === true) throw givenUp();
      if (!(thrown instanceof Unmet)) throw thrown;
      throw new PluglotError('START_FAILED', `Plugin "${plugin}" cannot be checked. ${thrown.message}`);
    }
  });
}

/** Undefined when the plugin does not answer. */
function sdkOf(options: SubjectOptions, signal: AbortSignal | undefined): Promise<OfficialSdk | undefined> {
  return withSubjects(options, signal, (subjects) =>
    officialSdkOf(subjects.forCheck().subject).catch((thrown: unknown) => {
      if (signal?.aborted === true) throw givenUp();
      if (thrown instanceof Unmet) return undefined;
      throw toError(thrown);
    }),
  );
}

async function runOne(
  check: Check,
  subjects: Subjects,
  { limits, clock }: SubjectOptions,
): Promise<CheckResult> {
  const startedAt = clock.now();
  const { subject, release } = subjects.forCheck();
  const finding = await within(
    check.run(subject).catch((thrown: unknown) => failedFinding(thrown)),
    limits.checkMs,
    clock,
  );
  await release();
  const { run: _, ...about } = check;
  return {
    ...about,
    ...(finding === late ? failed(`It was not over after ${limits.checkMs / 1000} s.`) : finding),
    durationMs: clock.now() - startedAt,
  };
}

function failedFinding(thrown: unknown): Finding {
  if (thrown instanceof NotApplicable) return doesNotApply(thrown.message);
  if (thrown instanceof Unmet) return failed(thrown.message);
  if (thrown instanceof PluglotError) return failed(thrown.message);
  throw toError(thrown);
}

/** Results in the order of the items. After the first failure nothing more is started. */
async function sideBySide<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item, done: () => number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let over = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await run(item, () => (over += 1));
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw toError(worker.reason);
  return results;
}

/** @throws PluglotError INVALID_ARGUMENTS when no check matches */
function selectChecks(checks: readonly Check[], only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const patterns = only.map((words) => new RegExp(words.split('*').map(escaped).join('.*')));
  const some = checks.filter(({ id }) => patterns.some((pattern) => pattern.test(id)));
  if (some.length > 0) return some;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `No check has an id with "${only.join('" or "')}" in it. There are, for example: ${checks
      .slice(0, 3)
      .map(({ id }) => id)
      .join(', ')}.`,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
