// Ends before it has answered anything.
process.stderr.write('no model today\n');
process.exitCode = 7;
