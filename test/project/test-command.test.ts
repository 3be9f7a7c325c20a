// `npm test` itself: its count is the truth, and a failure anywhere fails it.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { execute, type Ran, root, withProject } from '../support/project.ts';

const passing = `import { expect, test } from 'vitest';\ntest('passes', () => expect(1).toBe(1));\n`;
const failing = `import { expect, test } from 'vitest';\ntest('fails', () => expect(1).toBe(2));\n`;
const skipping = `import { test } from 'vitest';\ntest.skip('skips', () => {});\n`;
const throwing = `throw new Error('does not load');\n`;
const unhandled = `import { test } from 'vitest';\ntest('passes', () => { setTimeout(() => { throw new Error('late'); }); });\ntest('waits', () => new Promise((resolve) => setTimeout(resolve, 50)));\n`;

test('counts what passed', async () => {
  const { exitCode, lastLine } = await testCommand({ 'src/a.test.ts': passing, 'src/b.test.ts': passing });
  expect(lastLine).toBe('2 passed, 0 failed');
  expect(exitCode).toBe(0);
});

test('counts failures, skips and files that do not load, and shows what went wrong', async () => {
  const { exitCode, lastLine, stdout } = await testCommand({
    'src/a.test.ts': passing,
    'src/b.test.ts': failing,
    'src/c.test.ts': skipping,
    'src/d.test.ts': throwing,
  });
  expect(lastLine).toBe('1 passed, 2 failed, 1 skipped');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('does not load');
});

test('an unhandled error fails a run whose tests passed', async () => {
  const { exitCode, lastLine } = await testCommand({ 'src/a.test.ts': unhandled });
  expect(lastLine).toBe('2 passed, 1 failed');
  expect(exitCode).toBe(1);
});

test('no test at all is a failure', async () => {
  const { exitCode, lastLine } = await testCommand({});
  expect(lastLine).toBe('0 passed, 1 failed');
  expect(exitCode).toBe(1);
});

test('a source that does not compile is a failure of its own', async () => {
  const { exitCode, lastLine, stdout } = await testCommand({
    'src/a.ts': `export const a: string = 1;\n`,
    'src/a.test.ts': passing,
  });
  expect(lastLine).toBe('1 passed, 1 failed');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('TS2322');
});

test('an unknown stage is wrong usage and names the known ones', async () => {
  const { exitCode, stderr } = await execute(process.execPath, ['scripts/test.mjs', 'nonsense']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('unit outer e2e');
});

async function testCommand(files: Record<string, string>): Promise<Ran & { lastLine: string | undefined }> {
  const source = `export const version = 0;\n`;
  const project: Record<string, string> = { 'src/index.ts': source, 'src/sdk/index.ts': source, ...files };
  const scripts = fs.readdirSync(path.join(root, 'scripts')).map((file) => `scripts/${file}`);
  const setup = ['test/support/seed-properties.ts', 'test/support/seed.ts'];
  for (const file of ['package-lock.json', 'tsconfig.build.json', 'vitest.config.ts', ...setup, ...scripts]) {
    project[file] = fs.readFileSync(path.join(root, file), 'utf8');
  }
  return withProject(project, async (cwd) => {
    const ran = await execute(process.execPath, ['scripts/test.mjs', 'unit'], { cwd });
    return { ...ran, lastLine: ran.stdout.trimEnd().split('\n').at(-1) };
  });
}
