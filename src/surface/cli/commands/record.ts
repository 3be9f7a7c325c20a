// `pluglot record FILE [NAME] [--call TOOL ARGS…] [-- COMMAND…]`: a conversation with a plugin, written down.
import { PluglotError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import type { ExitCode } from '../exit-code.ts';
import type { RecordOptions } from '../recording/open-recorder.ts';
import type { CommandContext } from './context.ts';

export async function record(
  context: CommandContext,
  file: string,
  name: string | undefined,
  options: RecordOptions,
): Promise<ExitCode> {
  const { command } = context;
  if ((command === undefined) === (name === undefined))
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `Say whose conversation to record: the name of a plugin or its command behind \`--\`${name === undefined ? '' : ', not both'}. Such as: pluglot record ${printableLine(file)} -- node server.mjs`,
    );
  if (options.call !== undefined)
    return (await import('../recording/record-call.ts')).recordCall(context, file, name, options);
  return (await import('../recording/record-wire.ts')).recordWire(context, file, name, options);
}
