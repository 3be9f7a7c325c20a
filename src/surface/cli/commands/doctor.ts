// `pluglot doctor [NAME…]`: what is wrong with this machine, its files and its plugins, and what to do about it.
import { runDoctor } from '../../../runtime/doctor/doctor.ts';
import { printableLine } from '../../../base/printable.ts';
import { doctorCard } from '../doctor-card.ts';
import { ExitCode } from '../exit-code.ts';
import { unlessInterrupted } from '../interruption.ts';
import type { CommandContext } from './context.ts';

export interface DoctorFlags {
  readonly strict?: boolean;
}

export async function doctor(
  context: CommandContext,
  names: readonly string[],
  { strict = false }: DoctorFlags,
): Promise<ExitCode> {
  const { cwd, home, env, configFile, signal, err, out, json, verbosity } = context;
  err.progress('looking at this machine and its plugins …');
  let done = 0;
  const examination = runDoctor({
    cwd,
    home,
    env,
    configFile,
    names,
    signal,
    onExamined({ name }) {
      done += 1;
      err.progress(`${done} looked at  ${printableLine(name)}`);
    },
  });
  // Whoever interrupts waits until nothing is left.
  const report = await unlessInterrupted(signal, examination).catch(async (thrown: unknown) => {
    await examination.catch(() => {});
    throw thrown;
  });
  err.clear();
  if (json) out.line(JSON.stringify(report));
  else for (const line of doctorCard(report, out, verbosity)) out.line(line);
  const { errors, warnings } = report.counts;
  return errors > 0 || (strict && warnings > 0) ? ExitCode.failed : ExitCode.ok;
}
