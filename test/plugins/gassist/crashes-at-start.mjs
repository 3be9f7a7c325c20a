// Ends with code 3 before it answers anything.
process.stderr.write('config.json is missing\n', () => process.exit(3));
