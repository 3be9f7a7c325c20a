// Says why it cannot start, and goes.
import process from 'node:process';

process.stderr.write('The database is not there.\n');
process.exitCode = 4;
