// A PID namespace for each plugin, created by bubblewrap. The system ends all processes in it with its first one,
// and that one with the host. The file system is unchanged.
import os from 'node:os';
import { askProgram } from './ask-program.ts';
import {
  checkedArguments,
  type Containment,
  type ExtraPipes,
  killGroup,
  namespacePipes,
  START_GATE,
} from './containment.ts';
import { addDescendants, type ProcessStat, readStat, readStats } from './process-table.ts';
import type { Program } from './spawn.ts';

/** --dev-bind: the file system with its devices. --proc: shows the processes of the namespace alone. */
const OPTIONS = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];

/** What bubblewrap can do here: containers often forbid namespaces, and versions before 0.5 cannot show files with permissions. */
export async function namespacesBy(bubblewrap: string): Promise<'none' | 'plain' | 'with files'> {
  const test = ['--', '/bin/sh', '-c', '[ -r /proc/self/stat ] && echo $$'];
  const works = async (more: readonly string[]) => {
    const args = [...OPTIONS, ...more, ...test];
    const answer = await askProgram({ command: bubblewrap, args, cwd: '/', env: {} });
    // Bubblewrap itself is the first process.
    return answer?.trim() === '2';
  };
  if (await works(['--perms', '0400', '--ro-bind-data', '0', '/dev/null'])) return 'with files';
  return (await works([])) ? 'plain' : 'none';
}

export function inNamespace(
  bubblewrap: string,
  program: Program,
): { program: Program; extraPipes: ExtraPipes } {
  const { checked } = program;
  const gate = canPassThroughShell(program.env) ? ['/bin/sh', '-c', START_GATE, 'sh'] : [];
  const hasGate = gate.length > 0;
  return {
    program: {
      ...program,
      command: bubblewrap,
      args: [
        ...OPTIONS,
        ...checkedArguments(checked, hasGate),
        '--',
        ...gate,
        program.command,
        ...(program.args ?? []),
      ],
    },
    extraPipes: namespacePipes(hasGate, checked),
  };
}

/** A shell drops variables whose names are not valid in a shell. */
function canPassThroughShell(env: Program['env']): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

/**
 * bubblewrap that loses its host in the middle of its start can be left behind, waiting for its own other half; the plugin is not
 * started by then. This shell outlives the host and ends it: sh -c SWEEP sh FLEET TEMPORARY_FOLDER LEDGER
 */
export const SWEEP = `
trap '' TERM INT HUP
input=$(cat)
looks=0 quiet=0
while [ "$input" != done ] && [ $quiet -lt 5 ] && [ $looks -lt 1200 ]; do
  looks=$((looks + 1)) quiet=$((quiet + 1))
  for file in $(grep -lsaF "$1." /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null && quiet=0
  done
  sleep 0.05 || sleep 1
done
for list in "$2"/*.leftovers; do
  [ -f "$list" ] || continue
  while IFS= read -r folder; do
    tries=0
    # Processes that have ended hold their control group for a moment.
    until rmdir -- "$folder" 2>/dev/null || [ "\${folder#/sys/}" = "$folder" ] || [ ! -d "$folder" ] || [ $tries -ge 40 ]; do
      tries=$((tries + 1))
      sleep 0.05 || sleep 1
    done
  done < "$list"
done
rm -rf -- "$2" "$3"
`;

/** @param clear ends the rest after the exit */
export function namespaceContainment(clear: (leader: number) => Promise<void>): Containment {
  let main: number | undefined;
  return {
    signal(leader, signal) {
      if (signal === 'SIGKILL') return killGroup(leader, signal);
      // A signal would end bubblewrap, and with it the plugin before it could handle the signal.
      for (const { pid, group } of insideOf(leader)) if (group === leader) send(pid, signal);
    },
    isStopped(leader) {
      // Its pid is not reused while bubblewrap lives.
      main ??= firstStarted(insideOf(leader))?.pid;
      return main !== undefined && readStat(main)?.state === 'stopped';
    },
    clear(leader) {
      killGroup(leader, 'SIGKILL');
      return clear(leader);
    },
    exitOf(exitCode, signal) {
      const name = exitCode === null ? undefined : signalNames.get(exitCode - 128);
      return name === undefined ? { exitCode, signal } : { exitCode: null, signal: name };
    },
  };
}

/** Like a shell, bubblewrap reports a signal as an exit code. */
const signalNames: ReadonlyMap<number, NodeJS.Signals> = new Map(
  // The keys of the system's constants are signal names.
  Object.entries(os.constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** The processes of the plugin: bubblewrap has one child, the first in the namespace and the ancestor of all others. */
function insideOf(leader: number): ProcessStat[] {
  const stats = readStats();
  const first = stats.find(({ parent }) => parent === leader);
  if (first === undefined) return [];
  const inside = new Set([first]);
  addDescendants(inside, stats);
  inside.delete(first);
  return [...inside];
}

function firstStarted(inside: readonly ProcessStat[]): ProcessStat | undefined {
  return inside.toSorted((a, b) => Number(a.startTime) - Number(b.startTime))[0];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
