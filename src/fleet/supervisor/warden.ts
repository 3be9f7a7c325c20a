// The program that ends the processes of a fleet when its host is gone: node warden.js FLEET TEMPORARY_FOLDER LEDGER
// It reads a pipe that only the host writes to. The pipe ends with the host, however that ended.
import fs from 'node:fs';
import { removeFolder, removeLeftovers } from './folders.ts';
import { createReaper } from './reaper.ts';

/** Processes that were starting when the host ended take a moment until they can be recognised. */
const QUIET_LOOKS = 5;

const [, , fleet = '', temporaryFolder = '', ledger = ''] = process.argv;
// The end of a session or service also signals this program, which may still have processes to end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

let input = '';
process.stdin.on('data', (chunk) => (input += String(chunk)));
process.stdin.on('close', () => void end());

async function end(): Promise<void> {
  // A host that ended all processes itself sends `done`.
  if (input !== 'done') await createReaper().end({ mark: fleet }, QUIET_LOOKS);
  await removeLeftovers(temporaryFolder);
  await removeFolder(temporaryFolder);
  fs.rmSync(ledger, { force: true });
}
