// The benchmark on a fresh clone: what of the root's settings reaches the install of its peers.
import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the .npmrc of the root does not reach the install of the peers, and what the user set does', async () => {
  const clone = temporaryFolder();
  cpSync(path.join(root, 'bench'), path.join(clone, 'bench'), {
    recursive: true,
    filter: (source) => !source.includes('node_modules'),
  });
  copyFileSync(path.join(root, '.npmrc'), path.join(clone, '.npmrc'));
  // A nested npm gets its settings from its environment.
  const script = `
    import { peerEnvironment } from './bench/prepare.mjs';
    const seen = (env) => [env['npm_config_engine_strict'], env['npm_config_fund']];
    process.stdout.write(JSON.stringify([seen(process.env), seen(peerEnvironment())]));
  `;
  writeFileSync(path.join(clone, 'seen.mjs'), script);
  const scripts = { seen: 'node seen.mjs' };
  writeFileSync(path.join(clone, 'package.json'), JSON.stringify({ name: 'clone', type: 'module', scripts }));
  const { stdout } = await execute('npm', ['run', '--silent', 'seen'], {
    cwd: clone,
    env: { ...process.env, npm_config_fund: 'false' },
  });
  expect(JSON.parse(stdout)).toEqual([
    ['true', 'false'],
    [null, 'false'],
  ]);
});
