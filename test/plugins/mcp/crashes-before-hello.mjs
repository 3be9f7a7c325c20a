console.error('Cannot find module "left-pad"');
process.exitCode = 1;
