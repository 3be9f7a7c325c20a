// Exits when it is asked for anything; the process that it started keeps its stdin and stdout open, until stdin ends.
import { spawn } from 'node:child_process';
import { receive } from '../support/channel/plain-wire.mjs';

await receive(() => {
  spawn(process.execPath, ['-e', "process.stdin.on('end', () => process.exit()).resume()"], {
    stdio: 'inherit',
    detached: true,
  }).unref();
  process.exit(5);
});
