// A command line run inside of the test: for what needs no process of its own.
import path from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../../src/surface/cli/program.ts';

export interface InProcess {
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints goes to a terminal of this width. @default to a file */
  readonly columns?: number;
}

export async function command(
  args: readonly string[],
  { cwd, home, env = {}, columns }: InProcess,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  // The part of a stream that the command line uses.
  const stream = (name: 'stdout' | 'stderr') =>
    ({
      write: (text: string) => (written[name] += text) !== '',
      ...(columns !== undefined && name === 'stdout' && { isTTY: true, columns }),
    }) as unknown as NodeJS.WriteStream;
  const exitCode = await run(args, {
    version: '0.0.0',
    stdin: Readable.from([]) as unknown as NodeJS.ReadStream,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot'), ...env },
    cwd,
    home,
    signal: new AbortController().signal,
  });
  return { exitCode, ...written };
}
