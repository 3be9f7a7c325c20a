// How a process and all its descendants are signalled and ended. The simplest way is the process group.
import type { Duplex } from 'node:stream';
import { readStat } from './process-table.ts';

/**
 * `namespace`: each plugin in a PID namespace of its own, which the system ends with the host.
 * `warden`: a process beside the host ends the remaining plugins when the host is gone.
 * `group`: process groups alone; processes that outlive a killed host are ended by the next one.
 */
export type ContainmentMode = 'namespace' | 'warden' | 'group';

export interface Containment {
  /** Sends a signal to the group of a living leader. */
  signal(leader: number, signal: NodeJS.Signals): void;
  isStopped(leader: number): boolean;
  /** Called before the leader is asked to end: while it lives, its descendants can be found by their parents. */
  readonly remember?: (leader: number) => void;
  /** Called once, right after the exit of the leader: ends its descendants and resolves when none is left. Never rejects. */
  clear(leader: number): Promise<void>;
  /** The exit of the plugin itself, if a program between reports another one. */
  readonly exitOf?: (
    exitCode: number | null,
    signal: NodeJS.Signals | null,
  ) => { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };
}

export const processGroup: Containment = {
  signal: killGroup,
  isStopped: (leader) => readStat(leader)?.state === 'stopped',
  async clear(leader) {
    // Descendants of the leader must not outlive it.
    killGroup(leader, 'SIGKILL');
  },
};

export function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // The group is empty.
  }
}

/** A file whose bytes matched a pin; the program sees these bytes, even if the file changes. */
export interface CheckedFile {
  readonly file: string;
  readonly bytes: Buffer;
  /** The permission bits. */
  readonly mode: number;
}

/** Pipes of the program from descriptor 3 on. */
export interface ExtraPipes {
  readonly count: number;
  open(pipes: readonly Duplex[]): void;
}

/**
 * Delays a program in a namespace until the host answers. bubblewrap asks to be ended with the host only some time after its start; if the
 * host ended before, the program would stay. This runs last: after the answer everything is in place.
 */
export const START_GATE = 'echo >&3 && read -r word <&3 && exec 3<&- && exec "$@"';

/** The gate, if there is one, then a pipe for each checked file. */
export function namespacePipes(hasGate: boolean, checked: readonly CheckedFile[] = []): ExtraPipes {
  return {
    count: (hasGate ? 1 : 0) + checked.length,
    open(pipes) {
      for (const pipe of pipes) pipe.on('error', () => {});
      const [gate, ...rest] = hasGate ? pipes : [undefined, ...pipes];
      gate?.once('data', () => gate.end('go\n'));
      for (const [index, { bytes }] of checked.entries()) rest[index]?.end(bytes);
    },
  };
}

/** Options of bubblewrap that show these bytes in place of the files. */
export function checkedArguments(checked: readonly CheckedFile[] = [], hasGate = true): string[] {
  return checked.flatMap(({ file, mode }, index) => [
    '--perms',
    (mode & 0o777).toString(8).padStart(4, '0'),
    '--ro-bind-data',
    String((hasGate ? 4 : 3) + index),
    file,
  ]);
}
