// The file that stands behind --config.
import { stat } from 'node:fs/promises';
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import { absolute } from '../../fleet/discovery/entry-spec.ts';
import type { CommandContext } from './commands/context.ts';

/**
 * What was asked for by its name is not to be replaced by what else there is.
 * @throws PluglotError CONFIG_INVALID when it is not there
 */
export async function checkNamedConfig(
  named: string,
  { cwd, home }: Pick<CommandContext, 'cwd' | 'home'>,
): Promise<void> {
  const file = absolute(named, { folder: cwd, home });
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown');
  if (there === 'ENOENT' || there === 'ENOTDIR') throw wrong(file, 'there is no such file');
  // Whatever else is wrong with it is told by whoever reads it.
  if (typeof there !== 'string' && there.isDirectory()) throw wrong(file, 'this is a folder');
}

function wrong(file: string, reason: string): PluglotError {
  return new PluglotError('CONFIG_INVALID', `${file}: ${sentence(reason)} Correct the path behind --config.`);
}
