// `npm run build` does what is needed and no more.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { execute, root, withProject } from '../support/project.ts';

test('builds what changed, is silent when nothing did, and removes the output of deleted sources', async () => {
  await withProject({ ...sources(), 'src/gone.ts': `export const gone = 0;\n` }, async (folder) => {
    expect(await build(folder)).toMatch(/✓ build/);
    expect(outputs(folder)).toEqual(['gone.d.ts', 'gone.js', 'index.d.ts', 'index.js', 'sdk']);

    expect(await build(folder)).toBe('');

    fs.rmSync(path.join(folder, 'src/gone.ts'));
    fs.writeFileSync(path.join(folder, 'src/index.ts'), `export const version = 'new';\n`);
    expect(await build(folder)).toMatch(/✓ build/);
    expect(outputs(folder)).toEqual(['index.d.ts', 'index.js', 'sdk']);
    expect(fs.readFileSync(path.join(folder, 'dist/index.js'), 'utf8')).toContain('new');

    fs.rmSync(path.join(folder, 'dist'), { recursive: true });
    expect(await build(folder)).toMatch(/✓ build/);
    expect(outputs(folder)).toEqual(['index.d.ts', 'index.js', 'sdk']);
  });
});

test('two builds at once both end with a whole dist', async () => {
  await withProject(sources(), async (folder) => {
    await Promise.all([build(folder), build(folder)]);
    expect(outputs(folder)).toEqual(['index.d.ts', 'index.js', 'sdk']);
    expect(await build(folder)).toBe('');
  });
});

function sources(): Record<string, string> {
  const files = [
    'package-lock.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
    'scripts/bundle.mjs',
    'scripts/console.mjs',
    'scripts/prepare.mjs',
    'scripts/stage.mjs',
  ];
  return {
    'src/index.ts': `export const version = 'old';\n`,
    'src/sdk/index.ts': `export const sdk = 1;\n`,
    ...Object.fromEntries(
      files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')] as const),
    ),
  };
}

/** What a build says; it must succeed. */
async function build(folder: string): Promise<string> {
  const { exitCode, stderr } = await execute(process.execPath, ['scripts/build.mjs'], { cwd: folder });
  expect(exitCode).toBe(0);
  return stderr;
}

function outputs(folder: string): string[] {
  return fs.readdirSync(path.join(folder, 'dist')).filter((file) => !file.startsWith('.'));
}
