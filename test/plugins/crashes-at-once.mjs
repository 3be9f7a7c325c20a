// Fails before it serves anything.
console.error('Error: cannot find the model file');
process.exit(7);
