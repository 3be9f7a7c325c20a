// Changes a small file that several processes may change: one at a time, and nobody ever sees half of it.
import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isAbsent } from './placeholders.ts';

export interface GuardedChange {
  /** Of a file that was not there yet; another one keeps its own. */
  readonly mode: number;
  /**
   * Takes away what others may do with a file that is there.
   * @default false
   */
  readonly enforceMode?: boolean;
}

/**
 * Runs `change` while no other process does the same on this file, and writes what it returns; undefined writes nothing.
 * A symbolic link is followed, so that a file kept elsewhere stays there.
 */
export async function changeFile(
  file: string,
  options: GuardedChange,
  change: (target: string) => Promise<string | undefined>,
): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const target = await realpath(file).catch(() => file);
    if ((await stat(target).catch(() => undefined))?.isDirectory() && isAbsent(target)) throw isHeld(file);
    await locked(target, async () => {
      const text = await change(target);
      if (text !== undefined) await replace(target, text, options);
    });
  } catch (error) {
    throw explained(error, file);
  }
}

function isHeld(file: string): PluglotError {
  return new PluglotError(
    'CONFIG_INVALID',
    `${file} cannot be made now: a confined program is running that can write to its folder. Wait for its end, or stop it (\`pluglot status\` shows confined plugins).`,
  );
}

/** What the system refuses, such as on a disk that is full or not ours, is no fault of this program. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  return new PluglotError(
    'CONFIG_INVALID',
    `${file} could not be written (${String(error.code)}); it was left as it is. Make room, or make its folder writable.`,
    { cause: error },
  );
}

async function replace(
  file: string,
  text: string,
  { mode, enforceMode = false }: GuardedChange,
): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  const kept = present === undefined ? mode : present.mode & 0o777 & (enforceMode ? mode : 0o777);
  const fresh = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(fresh, 'wx', kept);
    try {
      // The process's umask may have taken bits away.
      await handle.chmod(kept);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** A holder needs milliseconds, so one that is older has died. */
const STALE_MS = 10_000;
const RETRY_MS = 15;

async function locked(file: string, work: () => Promise<void>): Promise<void> {
  const lock = `${file}.lock`;
  const giveUpAt = Date.now() + STALE_MS + 5000;
  for (;;) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      await handle.close();
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (Date.now() > giveUpAt) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `${lock} is held by another process. Remove it when none runs.`,
      );
    }
    if (await isStale(lock)) await takeAway(lock);
    else await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isStale(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS;
}

/** By a rename, so that of several who see the same dead lock one takes it; a lock that turns out to be alive is not removed. */
async function takeAway(lock: string): Promise<void> {
  const grave = `${lock}.${randomUUID()}`;
  await rename(lock, grave).catch(() => undefined);
  if (await isStale(grave)) await rm(grave, { force: true });
  else await rename(grave, lock).catch(() => undefined);
}
