// Ends before it has read anything.
console.error('cannot find module "cluster"');
process.exit(3);
