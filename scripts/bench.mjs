// `npm run bench`: makes the checkout and the compared libraries ready, then runs bench/main.mjs.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { install, prepare, root } from './prepare.mjs';

await prepare();
await install(path.join(root, 'bench'));
const bench = spawn(process.execPath, [path.join(root, 'bench/main.mjs'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
bench.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
