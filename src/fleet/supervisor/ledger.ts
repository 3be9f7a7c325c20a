// The processes of each host, on disk: if a host is killed before it ends its processes, the next one ends them.
import fs from 'node:fs';
import path from 'node:path';
import { removeFolder, removeLeftovers } from './folders.ts';
import { bootId, isAlive, type ProcessIdentity, readStat } from './process-table.ts';
import type { Reaper } from './reaper.ts';

export interface Ledger {
  add(process: ProcessIdentity): void;
  /** All processes have ended: nothing is to be swept. */
  close(): void;
}

/** The first line of a ledger. */
interface Owner extends ProcessIdentity {
  readonly fleet: string;
  readonly temporaryFolder: string;
  /** Pids are only valid within one boot and one container. */
  readonly boot: string;
  readonly namespace: string;
}

/** Written before the first process starts, so that none is without an owner. */
export function openLedger(folder: string, fleet: string, temporaryFolder: string): Ledger {
  const file = ledgerFile(folder, fleet);
  const owner: Owner = {
    fleet,
    temporaryFolder,
    pid: process.pid,
    startTime: readStat(process.pid)?.startTime ?? '',
    ...here(),
  };
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, line(owner), { mode: 0o600 });
  let entries: ProcessIdentity[] = [];
  return {
    add({ pid, startTime }) {
      entries.push({ pid, startTime });
      try {
        if (entries.length < COMPACT_AT) return fs.appendFileSync(file, line({ pid, startTime }));
        entries = entries.filter(isAlive);
        const next = `${file}.next`;
        fs.writeFileSync(next, line(owner) + entries.map(line).join(''), { mode: 0o600 });
        fs.renameSync(next, file);
      } catch {
        // Its mark identifies it as well, so a full disk is not fatal.
      }
    },
    close: () => fs.rmSync(file, { force: true }),
  };
}

export function ledgerFile(folder: string, fleet: string): string {
  return path.join(folder, `${fleet}${ENDING}`);
}

/** Ends the processes of hosts that are gone. Never touches those of a living host. */
export async function sweepLedgers(folder: string, reaper: Reaper): Promise<void> {
  const files = await fs.promises.readdir(folder).catch(() => []);
  await Promise.all(
    files.filter((file) => file.endsWith(ENDING)).map((file) => sweep(path.join(folder, file), reaper)),
  );
}

const ENDING = '.processes';

/** Keeps the ledger short for hosts that restart plugins for months. */
const COMPACT_AT = 500;

async function sweep(file: string, reaper: Reaper): Promise<void> {
  const [owner, ...processes] = await readLedger(file);
  const { boot, namespace } = here();
  if (!isOwner(owner)) return;
  if (owner.boot === boot) {
    if (owner.namespace !== namespace || isAlive(owner)) return;
    for (const each of processes) {
      if (isIdentity(each) && isAlive(each)) killWithGroup(each);
    }
    await reaper.end({ mark: owner.fleet });
  }
  await removeLeftovers(owner.temporaryFolder);
  await removeFolder(owner.temporaryFolder);
  await fs.promises.rm(file, { force: true });
}

/** Checked just before: it is the process that was started, and leads its group. */
function killWithGroup({ pid }: ProcessIdentity): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function readLedger(file: string): Promise<unknown[]> {
  const text = await fs.promises.readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((each) => {
    try {
      return [JSON.parse(each) as unknown];
    } catch {
      // The last line of a host that was killed while it wrote.
      return [];
    }
  });
}

function isOwner(value: unknown): value is Owner {
  const { fleet, temporaryFolder, boot, namespace } = asFields(value);
  return (
    isIdentity(value) &&
    typeof fleet === 'string' &&
    /^[0-9a-f]{12}$/.test(fleet) &&
    // It will be removed with its content.
    typeof temporaryFolder === 'string' &&
    path.basename(temporaryFolder) === `pluglot-${fleet}` &&
    typeof boot === 'string' &&
    typeof namespace === 'string'
  );
}

function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, startTime } = asFields(value);
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof startTime === 'string' && startTime !== '';
}

function asFields(value: unknown): Record<string, unknown> {
  // Reading a property of any object is safe; callers check its type.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function here(): { boot: string; namespace: string } {
  return {
    boot: bootId(),
    namespace: attempt(() => fs.readlinkSync('/proc/self/ns/pid')),
  };
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function line(value: ProcessIdentity): string {
  return `${JSON.stringify(value)}\n`;
}
