// What both ways to record have in common.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { printableLine } from '../../../base/printable.ts';
import type { Secrets } from '../../../base/secrets.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import { createRecorder, type Recorder } from '../../../fleet/recording/recorder.ts';
import type { Exit } from '../../../fleet/supervisor/spawn.ts';
import type { CommandContext } from '../commands/context.ts';
import { ExitCode } from '../exit-code.ts';
import { shownCommand } from '../../../runtime/views/shown-command.ts';

export interface RecordOptions {
  readonly dialect?: string;
  /** The first word is the name of the tool, the others are its arguments. */
  readonly call?: readonly string[];
}

/** Never over something else. */
export function openRecorder(
  { cwd }: CommandContext,
  file: string,
  { name, start, dialect }: PluginSpec,
  secrets: Pick<Secrets, 'mask'>,
): Promise<Recorder> {
  return createRecorder({
    file: path.resolve(cwd, file),
    header: { plugin: name, command: shownCommand(start), dialect },
    secrets,
  });
}

/** Ends it, and tells a person; to programs this command is the plugin. Where nothing was said nothing is left. */
export async function closeRecorder(
  { cwd, err, verbosity }: CommandContext,
  recorder: Recorder,
  file: string,
): Promise<void> {
  const { messages } = await recorder.close();
  if (!recorder.isBegun()) {
    await fs.rm(path.resolve(cwd, file), { force: true });
    return;
  }
  if (!err.live && verbosity < 1) return;
  const what = messages === 1 ? '1 message is' : `${messages} messages are`;
  err.line(`${err.colours.green('✓')} ${what} in ${printableLine(file, 1000)}`);
}

/** As the shell tells it, since whoever started this command wanted the plugin. */
export function exitCodeOfPlugin(exit: Exit): ExitCode {
  if (exit.kind === 'not-started') return ExitCode.broken;
  const { exitCode, signal } = exit;
  const code = exitCode ?? (signal === null ? ExitCode.broken : 128 + os.constants.signals[signal]);
  // The number is the plugin's own, and means what it means there.
  return code as ExitCode;
}
