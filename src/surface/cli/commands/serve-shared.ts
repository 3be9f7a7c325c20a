// `pluglot serve --stdio` beside a running `up` of the project: what the client says goes there, and what it answers comes back.
import type { Socket } from 'node:net';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';

/** Until the client has gone, the `up` has ended, or somebody interrupts. */
export async function serveShared(context: CommandContext, wire: Socket): Promise<ExitCode> {
  const { stdin, stdout, signal, err } = context;
  let hasClientGone = false;
  const leave = () => void wire.destroy();
  stdin.once('end', () => (hasClientGone = true));
  // One that does not read any more has gone, too.
  stdout.once('error', leave);
  wire.on('error', () => {});
  signal.addEventListener('abort', leave, { once: true });
  const over = new Promise<void>((resolve) => wire.once('close', resolve));
  if (signal.aborted) leave();
  stdin.pipe(wire);
  wire.pipe(stdout, { end: false });
  await over;
  signal.removeEventListener('abort', leave);
  stdin.unpipe(wire);
  stdin.pause();
  if (signal.aborted) return ExitCode.interrupted;
  if (hasClientGone || stdout.destroyed) return ExitCode.ok;
  err.line(`${err.colours.yellow('!')} The \`pluglot up\` that this client was served by has ended.`);
  return ExitCode.broken;
}
