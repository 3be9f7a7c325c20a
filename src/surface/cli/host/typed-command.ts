// The plugin behind `--`: as a spec, and what it speaks.
import { systemClock } from '../../../base/clock.ts';
import { PluglotError } from '../../../base/error.ts';
import { dialectNames, type DialectName, type PluginSpec } from '../../../definition/plugin-spec.ts';
import { hostDialects } from '../../../dialect/hosts.ts';
import { detectDialect } from '../../../fleet/detection/detect-dialect.ts';
import type { Detect } from '../../../fleet/plugin/surroundings.ts';
import type { Launcher } from '../../../fleet/supervisor/launcher.ts';
import type { CommandContext } from '../commands/context.ts';
import { pluginName } from '../../../fleet/discovery/plugin-name.ts';
import { nameOfCommand } from './name-of-command.ts';

export async function detect(
  { err, verbosity }: CommandContext,
  launcher: Launcher,
  ...[spec, signal, onStderr]: Parameters<Detect>
): Promise<DialectName> {
  const dialects = await Promise.all(Object.values(hostDialects).map((load) => load()));
  // Once it is started for good it prints the same again. Where that does not happen, it is all that it has said.
  const kept: Buffer[] = [];
  try {
    return await detectDialect(spec, {
      launcher,
      dialects,
      clock: systemClock,
      signal,
      onSlow: () => err.progress(`${spec.name} is still starting … (Ctrl-C gives up)`),
      onStderr: verbosity > 0 ? onStderr : (chunk) => kept.length < KEPT_MAX && kept.push(chunk),
    });
  } catch (thrown) {
    for (const chunk of kept) onStderr(chunk);
    throw thrown;
  }
}

/** Chunks, of up to 64 KiB each. */
const KEPT_MAX = 64;

/** What the user typed is trusted; its name is that of the program, for messages. */
export function specOfCommand(
  command: readonly string[],
  { dialect }: { readonly dialect?: string },
  cwd: string,
): PluginSpec {
  const [program, ...args] = command;
  if (program === undefined || program === '') {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      'Nothing stands behind `--`. Give the command that starts the plugin.',
    );
  }
  return {
    name: pluginName(nameOfCommand(command)) ?? nameOfCommand(command),
    start: { kind: 'program', command: program, args, cwd },
    ...(isDialect(dialect) ? { dialect } : {}),
  };
}

function isDialect(name: string | undefined): name is DialectName {
  return name !== undefined && (dialectNames as readonly string[]).includes(name);
}
