#!/usr/bin/env node
// The command `pluglot`. What a command needs is loaded when it runs, so that all of them start at once.
import { readFileSync } from 'node:fs';
import { ExitCode } from './exit-code.ts';

process.stdout.on('error', endQuietly);
process.stderr.on('error', endQuietly);

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const { run } = await import('./program.ts');
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
  process.exitCode = await run(args, {
    version: packageVersion(),
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: interrupted.signal,
  });
}

function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  // The package's own file.
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The reader went away, as `head` does: there is nobody left to tell anything. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(ExitCode.ok);
}
