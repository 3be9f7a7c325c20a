// `pluglot check` for the test suite of a plugin: starts it, checks it, leaves nothing behind.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { CheckReport } from '../conformance/report.ts';
import { runChecks, type RunChecksOptions } from '../conformance/run-checks.ts';
import type { DialectName, PluginSpec } from '../definition/plugin-spec.ts';
import { hostDialects } from '../dialect/hosts.ts';
import { detectDialect } from '../fleet/detection/detect-dialect.ts';
import { withManifestBeside } from '../fleet/discovery/manifest-folders.ts';
import type { Launcher } from '../fleet/supervisor/launcher.ts';
import { createLauncher } from '../fleet/supervisor/process-launcher.ts';

export interface CheckPluginOptions extends Pick<
  RunChecksOptions,
  'tool' | 'slowTool' | 'only' | 'concurrency' | 'limits' | 'signal' | 'onResult'
> {
  /** The program and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /**
   * The dialect to check.
   * @default that of a manifest beside the program, else found out by asking
   */
  readonly dialect?: DialectName;
  /**
   * Where it is started.
   * @default the working folder of the tests
   */
  readonly cwd?: string;
  /**
   * What it may see of an environment: hand in `process.env` for a program that is to be found in PATH. `node` is found without.
   * @default {}
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves with the report, whatever was found.
 * @throws PluglotError when it cannot be started, does not introduce itself, or speaks no dialect that is known
 */
export async function checkPlugin(options: CheckPluginOptions): Promise<CheckReport> {
  const { command, dialect, cwd = process.cwd(), env = {}, ...rest } = options;
  const [program, ...args] = command;
  const stateFolder = await fs.mkdtemp(path.join(os.tmpdir(), 'pluglot-check-state-'));
  const launcher = createLauncher({ env, stateFolder, hostFolder: cwd });
  try {
    const spec = await withManifestBeside({
      name: path.basename(args.at(-1) ?? program),
      start: { kind: 'program', command: program, args, cwd },
      ...(dialect === undefined ? {} : { dialect }),
    });
    const spoken = spec.dialect ?? (await ask(spec, launcher, rest.signal));
    return await runChecks({
      ...rest,
      plugin: spec.name,
      dialect: spoken,
      manifest: spec.manifest,
      start: () => launcher.launch({ ...spec, dialect: spoken }),
    });
  } finally {
    await launcher.close();
    await fs.rm(stateFolder, { recursive: true, force: true });
  }
}

async function ask(
  spec: PluginSpec,
  launcher: Launcher,
  signal: AbortSignal | undefined,
): Promise<DialectName> {
  const dialects = await Promise.all(Object.values(hostDialects).map((load) => load()));
  return detectDialect(spec, {
    launcher,
    dialects,
    clock: systemClock,
    ...(signal === undefined ? {} : { signal }),
  });
}
