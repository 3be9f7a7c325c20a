// Crashes as long as the file of its first argument is not there.
import fs from 'node:fs';
import process from 'node:process';
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

if (!fs.existsSync(process.argv[2] ?? '')) {
  process.stderr.write('Not yet.\n');
  process.exit(1);
}
await serve();
