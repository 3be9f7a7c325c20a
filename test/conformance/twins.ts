// Every check has a deliberately broken twin that it must catch, and that no other check may complain of.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { DialectName } from '../../src/definition/plugin-spec.ts';
import type { Probe } from '../../src/conformance/conversation.ts';
import { checksOf } from '../../src/conformance/dialects.ts';
import type { CheckReport } from '../../src/conformance/report.ts';
import { runChecks, type RunChecksOptions } from '../../src/conformance/run-checks.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { root } from '../support/project.ts';
import { isFull } from '../support/runs.ts';

export interface TwinOptions {
  /** What the twins can be called with, whatever they say of themselves. */
  readonly tool: Probe;
  /** The same, with a moment more to do. */
  readonly slowTool: Probe;
  /** The manifest beside the twin, which may be what is broken. */
  readonly manifest?: (breakage: string | undefined) => JsonObject;
  /** Checks that cannot but fail together with another. */
  readonly companions?: Readonly<Record<string, readonly string[]>>;
  /** Called for each test that passes. */
  readonly onPassed?: () => void;
}

/**
 * The tests of test/plugins/twins/<dialect>.mjs, which is well behaved unless its argument names a check to fail.
 * Gives how many they are.
 */
export function testTwins(
  dialect: DialectName,
  { tool, slowTool, manifest, companions = {}, onPassed }: TwinOptions,
): number {
  const checks = checksOf(dialect);
  const meanwhile = checks.filter(({ id }) => MEANWHILE.includes(id));
  const check = (
    { onTestFinished }: TestContext,
    breakage: readonly string[],
    only?: readonly string[],
    named: Pick<RunChecksOptions, 'tool' | 'slowTool'> = { tool, slowTool },
  ): Promise<CheckReport> => {
    const stateFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-twins-'));
    const launcher = createLauncher({
      env: process.env,
      stateFolder,
      containment: 'group',
    });
    onTestFinished(async () => {
      await launcher.close();
      fs.rmSync(stateFolder, { recursive: true, force: true });
    });
    const file = path.join(root, 'test/plugins/twins', `${dialect}.mjs`);
    const start = { kind: 'program', command: process.execPath, args: [file, ...breakage] } as const;
    const spec = { name: 'twin', dialect, start };
    return runChecks({
      plugin: 'twin',
      dialect,
      ...named,
      only,
      manifest: manifest?.(breakage[0]),
      start: () => launcher.launch(spec),
      // Several twins are checked at once.
      concurrency: 2,
      // A machine that is busy must not make a good one look broken; the other limits grow with its first handshake.
      limits: { startMs: 60_000, callMs: 15_000 },
    });
  };

  // Most of their time they wait for what does not come.
  describe.concurrent(`${dialect}: checks and their twins`, () => {
    test('the well-behaved plugin passes every check, and all of them apply to it', async (context) => {
      const { results } = await check(context, []);
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
      onPassed?.();
    });

    test.for(checks.map(({ id }, index) => [id, index] as const))(
      'the twin of %s fails that check alone',
      async ([id, index], context) => {
        const kind = id.startsWith('fault:') ? 'fault:' : `${dialect}:`;
        const { results } = await check(context, [id], isCompared(index) ? [id, kind] : [id]);
        const checked = results.map((result) => result.id);
        const failures = results.filter(({ verdict }) => verdict === 'failed');
        expect(
          failures.map((result) => result.id).toSorted(),
          failures.map(({ seen }) => seen).join('\n'),
        ).toEqual([id, ...(companions[id] ?? [])].filter((each) => checked.includes(each)).toSorted());
        onPassed?.();
      },
    );

    test.for(meanwhile.map(({ id }) => [id] as const))(
      'the twin of %s is caught by quick calls, too',
      async ([id], context) => {
        const { results } = await check(context, [id], [id], { tool });
        expect(results).toMatchObject([{ id, verdict: 'failed' }]);
        onPassed?.();
      },
    );
  });
  return checks.length + meanwhile.length + 1;
}

/** What happens while a call runs. */
const MEANWHILE: readonly string[] = [
  'fault:ping-during-call',
  'fault:cancel',
  'fault:eof-in-call',
  'fault:shutdown-in-call',
  'fault:host-gone',
];

/** With all checks of its kind, that is: each of them starts processes, so day by day a tenth has to do. */
function isCompared(index: number): boolean {
  return isFull || index % 10 === 0;
}
