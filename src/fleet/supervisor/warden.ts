// The program that ends a fleet when its host is gone: node warden.js FLEET TEMPORARY_FOLDER LEDGER
// It holds the end of a pipe that only the host has. The end of that pipe is the end of the host, however it came.
import fs from 'node:fs';
import { removeFolder, removeLeftovers } from './folders.ts';
import { createReaper } from './reaper.ts';

/** What was being started when the host ended can take a moment until it can be recognised. */
const QUIET_LOOKS = 5;

const [, , fleet = '', temporaryFolder = '', ledger = ''] = process.argv;
// Whoever ends a session or a service ends it whole; but there may be something left to end by then.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

let said = '';
process.stdin.on('data', (chunk) => (said += String(chunk)));
process.stdin.on('close', () => void end());

async function end(): Promise<void> {
  // A host that has ended all by itself says so.
  if (said !== 'done') await createReaper().end({ mark: fleet }, QUIET_LOOKS);
  await removeLeftovers(temporaryFolder);
  await removeFolder(temporaryFolder);
  fs.rmSync(ledger, { force: true });
}
