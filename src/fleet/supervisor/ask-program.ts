// Runs a program of the system and returns its output.
import { type Program, spawn } from './spawn.ts';

const ANSWER_MAX = 64 * 1024;

/** Its output if it exits with code 0 within the limit, otherwise undefined. */
export async function askProgram(program: Program, limitMs = 10_000): Promise<string | undefined> {
  const running = spawn(program);
  const chunks: Buffer[] = [];
  let size = 0;
  const read = new Promise<void>((resolve) => {
    running.pipe.open({
      data(chunk) {
        // The buffer of the chunk is reused.
        if (size < ANSWER_MAX) chunks.push(Buffer.from(chunk));
        size += chunk.length;
      },
      end: () => resolve(),
    });
  });
  void running.pipe.finish();
  const timer = setTimeout(() => running.signal('SIGKILL'), limitMs);
  const [exit] = await Promise.all([running.exited, read]);
  clearTimeout(timer);
  return exit.kind === 'exited' && exit.exitCode === 0 ? Buffer.concat(chunks).toString('utf8') : undefined;
}
