// A PID namespace of its own for each plugin, made by bubblewrap. The system ends all that is in it with its first process,
// and that one with the host. Files are what they are everywhere.
import os from 'node:os';
import { askProgram } from './ask-program.ts';
import { type Containment, killGroup } from './containment.ts';
import { addDescendants, type ProcessStat, readStat, readStats } from './process-table.ts';
import { checkedArguments, namespacePipes, type Program, START_GATE, type Surroundings } from './spawn.ts';

/** --dev-bind: the file system with its devices. --proc: tells of the processes in the namespace alone. */
const OPTIONS = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];

/** What bubblewrap can do here: containers often forbid namespaces, and versions before 0.5 cannot put files with permissions in place. */
export async function namespacesBy(bubblewrap: string): Promise<'none' | 'plain' | 'with files'> {
  const test = ['--', '/bin/sh', '-c', '[ -r /proc/self/stat ] && echo $$'];
  const works = async (more: readonly string[]) => {
    const args = [...OPTIONS, ...more, ...test];
    const answer = await askProgram({ command: bubblewrap, args, cwd: '/', env: {} });
    // Bubblewrap itself is the first process in it.
    return answer?.trim() === '2';
  };
  if (await works(['--perms', '0400', '--ro-bind-data', '0', '/dev/null'])) return 'with files';
  return (await works([])) ? 'plain' : 'none';
}

export function inNamespace(
  bubblewrap: string,
  program: Program,
): { program: Program; extraPipes: NonNullable<Surroundings['extraPipes']> } {
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

/** A shell forgets variables whose names it could not use itself. */
function canPassThroughShell(env: Program['env']): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

/**
 * bubblewrap that loses its host in the middle of its start can be left behind, waiting for its own other half; the plugin is not
 * started by then. This shell outlives the host and ends it: sh -c SWEEP sh FLEET TEMPORARY_FOLDER LEDGER
 */
export const SWEEP = `
trap '' TERM INT HUP
said=$(cat)
looks=0 quiet=0
while [ "$said" != done ] && [ $quiet -lt 5 ] && [ $looks -lt 1200 ]; do
  looks=$((looks + 1)) quiet=$((quiet + 1))
  for file in $(grep -lsaF "$1." /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null && quiet=0
  done
  sleep 0.05 || sleep 1
done
for list in "$2"/*.leftovers; do
  [ -f "$list" ] || continue
  while IFS= read -r folder; do rmdir -- "$folder" 2>/dev/null; done < "$list"
done
rm -rf -- "$2" "$3"
`;

/** @param clear ends what is left after the exit */
export function namespaceContainment(clear: (leader: number) => Promise<void>): Containment {
  let main: number | undefined;
  return {
    signal(leader, signal) {
      if (signal === 'SIGKILL') return killGroup(leader, signal);
      // Bubblewrap would die of a signal, and all the rest with it before it could heed the signal.
      for (const { pid, group } of insideOf(leader)) if (group === leader) send(pid, signal);
    },
    isStopped(leader) {
      // Its number stays its own as long as bubblewrap lives, which ends with it.
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

/** What bubblewrap tells of a plugin that was ended by a signal, as shells do. */
const signalNames: ReadonlyMap<number, NodeJS.Signals> = new Map(
  // The constants of the system are named by its signals.
  Object.entries(os.constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** The processes of the plugin: bubblewrap has one child, the first in the namespace, which all others descend from. */
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
