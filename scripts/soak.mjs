// `npm run soak`: the full numbers that `npm test` runs a part of.
import { spawn } from 'node:child_process';
import { bin, prepare, root } from './prepare.mjs';

await prepare();
const seed = process.env['PLUGLOT_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (PLUGLOT_SEED=${seed} brings it back)`);
const vitest = spawn(
  process.execPath,
  [
    bin('vitest/vitest.mjs'),
    'run',
    '--project',
    'soak',
    '--project',
    'unit',
    '--project',
    'outer',
    ...process.argv.slice(2),
  ],
  // The properties of the unit tests, each as often as it should be tried.
  { cwd: root, stdio: 'inherit', env: { ...process.env, PLUGLOT_RUNS: 'full', PLUGLOT_SEED: seed } },
);
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
