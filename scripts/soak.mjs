// `npm run soak`: the full numbers that `npm test` runs a part of.
import { spawn } from 'node:child_process';
import { bin, prepare, root } from './prepare.mjs';

await prepare();
const vitest = spawn(
  process.execPath,
  [bin('vitest/vitest.mjs'), 'run', '--project', 'soak', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
