// `npm test [-- STAGE…]`: every check of the project. All stages run even if one fails; the last line is the count.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkPackaging } from './packaging.mjs';
import { bin, build, install, root } from './prepare.mjs';
import { attempt, CommandFailed, run, stage } from './stage.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Record<string, () => Promise<Counts>>} */
const stages = {
  types: () =>
    program('types', '@typescript/native/bin/tsc', [
      '-b',
      'tsconfig.json',
      'src/surface/console/ui/tsconfig.json',
      'test/console/tsconfig.json',
    ]),
  lint: () => program('lint', 'oxlint/bin/oxlint', []),
  format: () => program('format', 'oxfmt/bin/oxfmt', ['--check']),
  layers: () =>
    program('layers', 'dependency-cruiser/bin/dependency-cruise.mjs', ['--output-type', 'err-long', 'src']),
  'dead-code': () => program('dead-code', 'knip/bin/knip.js', ['--no-progress', '--no-config-hints']),
  packaging: () => once('packaging', checkPackaging),
  unit: () => vitest('unit'),
  outer: () => vitest('outer'),
  // Most of these tests wait for other processes: one worker more than there are cores keeps the cores busy.
  e2e: () => vitest('e2e', [`--maxWorkers=${os.availableParallelism() + 1}`]),
  alone: () => vitest('alone'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in stages));
if (unknown.length > 0) {
  console.error(`No stage named ${unknown.join(', ')}. Stages: ${Object.keys(stages).join(' ')}`);
  process.exit(2);
}

/** @type {Counts} */
const total = { passed: 0, failed: 0, skipped: 0 };
add(await ready());
for (const [name, runStage] of Object.entries(stages)) {
  if (wanted.length === 0 || wanted.includes(name)) add(await runStage());
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** Installs and builds. Without an install nothing can run; without a build the other stages still tell something. */
async function ready() {
  try {
    await install(process.stdout);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    console.log('\n0 passed, 1 failed');
    process.exit(1);
  }
  try {
    await build(process.stdout);
    return { passed: 0, failed: 0, skipped: 0 };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * A static stage: one program that exits with 0.
 * @param {string} name
 * @param {string} file
 * @param {string[]} args
 */
function program(name, file, args) {
  return once(name, async () => {
    await run(process.execPath, [bin(file), ...args], { cwd: root });
  });
}

/**
 * @param {string} name
 * @param {() => Promise<void>} work
 * @returns {Promise<Counts>}
 */
async function once(name, work) {
  try {
    await stage(process.stdout, name, work);
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    if (!(error instanceof CommandFailed)) console.error(error);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * A vitest project, counted from its JSON report.
 * @param {string} project
 * @param {string[]} [options]
 * @returns {Promise<Counts>}
 */
async function vitest(project, options = []) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-test-'));
  const report = path.join(folder, 'report.json');
  const args = [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
    ...options,
  ];
  try {
    const { counts } = await stage(
      process.stdout,
      project,
      async () => {
        const { code, output } = await attempt(process.execPath, [bin('vitest/vitest.mjs'), ...args], {
          cwd: root,
          env: {
            ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
            // Node reads these certificates at every start, which takes longer than the rest of it. Tests start thousands of processes.
            NODE_EXTRA_CA_CERTS: '',
          },
          limitMs: 1_800_000,
        });
        return { counts: countTests(report, code === 0), output };
      },
      ({ counts, output }) => ({
        ok: counts.failed === 0,
        note:
          counts.skipped > 0 ? `${counts.passed} tests, ${counts.skipped} skipped` : `${counts.passed} tests`,
        details: output,
      }),
    );
    return counts;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} report
 * @param {boolean} succeeded
 * @returns {Counts}
 */
function countTests(report, succeeded) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @typedef {{ status: string, assertionResults: { status: string }[] }} TestFile */
  const { testResults } = fs.existsSync(report)
    ? /** @type {{ testResults: TestFile[] }} */ (JSON.parse(fs.readFileSync(report, 'utf8')))
    : { testResults: [] };
  for (const { status, assertionResults } of testResults) {
    for (const test of assertionResults) {
      if (test.status === 'passed') counts.passed += 1;
      else if (test.status === 'failed') counts.failed += 1;
      else counts.skipped += 1;
    }
    // A file that did not load, or whose hook failed, has no failed test to count.
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) counts.failed += 1;
  }
  // Unhandled errors, a crash or an empty project fail the run without failing a test.
  if (counts.failed === 0 && (!succeeded || counts.passed === 0)) counts.failed = 1;
  return counts;
}

/** @param {Counts} counts */
function add(counts) {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
