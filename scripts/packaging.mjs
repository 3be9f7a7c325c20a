// Packs the built package as it would be published and checks the tarball with publint and attw.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bin, npmCommand, npmPrefix, root } from './prepare.mjs';
import { run } from './stage.mjs';

export async function checkPackaging() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-pack-'));
  try {
    const tarball = await pack(folder);
    await run(process.execPath, [bin('publint/src/cli.js'), 'run', '--strict', tarball], { cwd: root });
    // esm-only: `require` of this package is Node's require(esm), which needs no second build.
    await run(
      process.execPath,
      [bin('@arethetypeswrong/cli/dist/index.js'), '--profile', 'esm-only', '--no-color', tarball],
      { cwd: root },
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Packs the package into a folder and gives the path of the tarball.
 * @param {string} folder
 */
export async function pack(folder) {
  await run(
    npmCommand(),
    [...npmPrefix(), 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder],
    { cwd: root },
  );
  const tarball = fs.readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (!tarball) throw new Error(`npm pack left no tarball in ${folder}.`);
  return path.join(folder, tarball);
}
