// `npm start`: makes the checkout ready, then runs the command line in this process.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';
import { CommandFailed } from './stage.mjs';

const program = path.join(root, 'dist/surface/cli/main.js');
const given = process.argv.slice(2);
const startsWithOption = given[0]?.startsWith('-') ?? true;

try {
  await prepare();
  process.argv = [process.execPath, program, ...(startsWithOption ? ['demo'] : []), ...given];
  await import(pathToFileURL(program).href);
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.exitCode = 1;
}
