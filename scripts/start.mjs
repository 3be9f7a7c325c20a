// `npm start`: makes the checkout ready, then runs the command line in this process: `pluglot up` with the example plugins, unless another
// command is named.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';
import { CommandFailed } from './stage.mjs';

const program = path.join(root, 'dist/surface/cli/main.js');
const given = process.argv.slice(2);
const isUp = given[0]?.startsWith('-') ?? true;
// Whoever looks at it for the first time sees every dialect, whatever else is configured.
const isSaid = given.some((word) => word === '--bundled' || word === '--no-bundled');
const command = isUp ? ['up', ...(isSaid ? [] : ['--bundled'])] : [];

try {
  await prepare();
  process.argv = [process.execPath, program, ...command, ...given];
  await import(pathToFileURL(program).href);
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.exitCode = 1;
}
