// One process at a time writes to a log. The lock of a process that has died is taken away at once: no call waits for a dead one.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';

const RETRY_MS = 2;
/** A holder needs a millisecond. One that is older is dead too, even if its number belongs to another process by now. */
const STALE_MS = 10_000;
const OWN_STALE_MS = 1000;
const PATIENCE_MS = 15_000;

/**
 * Runs `work`, which blocks, while no other process does the same in this folder.
 * @throws PluglotError AUDIT_FAILED when nobody gives the lock up, and what `work` throws
 */
export async function locked<Result>(folder: string, work: () => Result): Promise<Result> {
  const lock = path.join(folder, 'audit.lock');
  const own = `${process.pid} ${randomUUID()}`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!taken(lock, own)) {
    if (Date.now() > giveUpAt)
      throw new PluglotError('AUDIT_FAILED', `${lock} is held by another process. Remove it when none runs.`);
    if (!takeAwayIfDead(lock))
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
  }
  try {
    return work();
  } finally {
    // It may have been taken away, when this process was stopped for long.
    if (contentOf(lock) === own) fs.unlinkSync(lock);
  }
}

function taken(lock: string, own: string): boolean {
  try {
    fs.writeFileSync(lock, own, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw new PluglotError('AUDIT_FAILED', `${lock} cannot be written: ${toError(thrown).message}.`, {
      cause: thrown,
    });
  }
}

/** By a rename, so that of several who see the same dead lock one takes it; one that turns out to be alive is put back. */
function takeAwayIfDead(lock: string): boolean {
  const content = contentOf(lock);
  if (content === undefined || !isDead(lock, content)) return content === undefined;
  const grave = `${lock}.${randomUUID()}`;
  try {
    fs.renameSync(lock, grave);
    if (contentOf(grave) !== content) fs.linkSync(grave, lock);
  } catch {
    // Somebody else was faster.
  }
  fs.rmSync(grave, { force: true });
  return true;
}

function isDead(lock: string, content: string): boolean {
  const stats = fs.statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const age = Date.now() - stats.mtimeMs;
  if (age > STALE_MS) return true;
  const pid = Number(content.split(' ')[0]);
  // Its owner has not written its number yet.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // Another thread; or a process of a container that is gone, where all get the same numbers.
  if (pid === process.pid) return age > OWN_STALE_MS;
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH';
  }
}

function contentOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
