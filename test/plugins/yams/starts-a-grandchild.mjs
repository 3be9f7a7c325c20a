// Starts a program that would go on without it, and names it.
import { spawn } from 'node:child_process';
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'helper.start': () => {
    const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
    return { pid: helper.pid };
  },
});
