#!/usr/bin/env node
// The command `pluglot`. What a command needs is loaded when it runs, so that all of them start at once.
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { printHelp } from './help.ts';

const over = new AbortController();
let readerIsGone = false;
process.stdout.on('error', endQuietly);
process.stderr.on('error', endQuietly);

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${packageVersion()}\n`);
} else if (args.length === 0 || (args.length === 1 && /^(?:-h|--help|help)$/.test(args[0] ?? ''))) {
  printHelp(process);
} else {
  const { run, ExitCode } = await import('./program.ts');
  // A command may wait for any number of plugins at once.
  setMaxListeners(0, over.signal);
  // The first time everything is stopped in order; the second time the process ends at once, and its plugins with it.
  const interrupt = () => {
    if (over.signal.aborted) process.exit(ExitCode.interrupted);
    over.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const exitCode = await run(args, {
    version: packageVersion(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    home: os.homedir(),
    signal: over.signal,
  });
  process.exitCode = readerIsGone ? ExitCode.ok : exitCode;
  // A command that waited for input may have been interrupted.
  process.stdin.destroy();
}

/** The reader went away, as `head` does, or the terminal was closed: output has no reader any more. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  readerIsGone = error.code === 'EPIPE';
  process.stdout.write = () => true;
  process.stderr.write = () => true;
  over.abort();
}

function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  // The package's own file.
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
