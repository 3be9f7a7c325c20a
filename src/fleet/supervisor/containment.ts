// How all that belongs to a process is reached, what it started included. The plain way is the process group.
import { readStat } from './process-table.ts';

/**
 * `namespace`: each plugin in a PID namespace of its own, which the system ends with the host.
 * `warden`: a process beside the host ends what is left of the plugins when the host is gone.
 * `group`: process groups alone; what outlives a host that was killed is ended by the next one.
 */
export type ContainmentMode = 'namespace' | 'warden' | 'group';

export interface Containment {
  /** Sends a signal to all in the group of a leader that lives. */
  signal(leader: number, signal: NodeJS.Signals): void;
  isStopped(leader: number): boolean;
  /** Told before the leader is asked to end: while it lives, what it started can be told by its parent. */
  readonly remember?: (leader: number) => void;
  /** Told once, right after the exit of the leader: ends what is left and resolves when nothing is. Never rejects. */
  clear(leader: number): Promise<void>;
  /** How the plugin itself ended, where something stands between that tells it in other words. */
  readonly exitOf?: (
    exitCode: number | null,
    signal: NodeJS.Signals | null,
  ) => { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };
}

export const processGroup: Containment = {
  signal: killGroup,
  isStopped: (leader) => readStat(leader)?.state === 'stopped',
  async clear(leader) {
    // What the leader started must not outlive it.
    killGroup(leader, 'SIGKILL');
  },
};

export function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody is left in the group.
  }
}
