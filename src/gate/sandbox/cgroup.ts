// Limits on memory and processes of confined programs, by control groups: version 2, or version 1 where that is mounted.
import fs from 'node:fs';
import path from 'node:path';
import { askProgram } from '../../fleet/supervisor/ask-program.ts';
import type { Limits, Sandbox } from './sandbox.ts';

export interface ControlGroups {
  /** Which limits hold here. */
  readonly held: Sandbox['limits'];
  /** The groups of one program, not made yet. */
  groupsFor(id: string, limits: Limits): ProgramGroups;
}

interface ProgramGroups {
  readonly folders: readonly string[];
  make(): void;
}

/** In a shell, before the program: it enters the groups by itself, so nothing of it runs outside of them. */
export const ENTER =
  'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 126; shift; done; shift; exec "$@"';

/** Tries what works here. A limit that nothing can hold is left out. */
export async function findControlGroups(id: string): Promise<ControlGroups> {
  const found = await Promise.all(candidates().map(async (each) => ((await holds(each, id)) ? [each] : [])));
  const places = found.flat();
  const holder = (limit: keyof Limits) => places.find(({ limits }) => limits.includes(limit));
  const memory = holder('memoryBytes');
  const processes = holder('processes');
  const used = [...new Set([memory, processes])].filter((each) => each !== undefined);
  return {
    held: { memoryBytes: memory !== undefined, processes: processes !== undefined },
    groupsFor(program, limits) {
      const groups = used.map((place) => ({ folder: path.join(place.folder, program), place }));
      return {
        folders: groups.map(({ folder }) => folder),
        make() {
          for (const { folder, place } of groups) makeGroup(folder, place, limits);
        },
      };
    },
  };
}

/** A folder in which a group can perhaps be made. */
interface Place {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly limits: readonly (keyof Limits)[];
}

/** By the names of the files that hold them; those that are not there everywhere come second. */
const FILES = {
  1: {
    memoryBytes: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    processes: ['pids.max'],
  },
  2: { memoryBytes: ['memory.max'], processes: ['pids.max'] },
} as const;

function makeGroup(folder: string, { version, limits: kinds }: Place, limits: Limits): void {
  fs.mkdirSync(folder);
  for (const kind of kinds) {
    const [first, ...more] = FILES[version][kind];
    fs.writeFileSync(path.join(folder, first), String(limits[kind]));
    for (const file of more) writeIfThere(path.join(folder, file), String(limits[kind]));
  }
  if (version !== 2) return;
  writeIfThere(path.join(folder, 'memory.swap.max'), '0');
  writeIfThere(path.join(folder, 'memory.oom.group'), '1');
}

function writeIfThere(file: string, text: string): void {
  try {
    if (fs.existsSync(file)) fs.writeFileSync(file, text);
  } catch {
    // Not every system counts what is swapped.
  }
}

/** By making a group and entering it. */
async function holds(place: Place, id: string): Promise<boolean> {
  const folder = path.join(place.folder, id);
  try {
    makeGroup(folder, place, { memoryBytes: 64 * 1024 * 1024, processes: 16 });
    const args = ['-c', ENTER, 'sh', folder, '--', 'echo', 'in'];
    return (
      (await askProgram({ command: '/bin/sh', args, cwd: '/', env: { PATH: '/usr/bin:/bin' } }))?.trim() ===
      'in'
    );
  } catch {
    return false;
  } finally {
    await removeGroup(folder);
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let look = 0; look < 50 && fs.existsSync(folder); look += 1) {
    try {
      fs.rmdirSync(folder);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Where this process is, and in version 2 above it too: a group with processes in it may have no limited groups below. */
function candidates(): Place[] {
  const mounts = lines('/proc/self/mountinfo').flatMap(mountOf);
  return lines('/proc/self/cgroup').flatMap((line): Place[] => {
    const [, controllers = '', inside = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const names = controllers.split(',');
    const limits = [
      ...(names.includes('memory') ? ['memoryBytes' as const] : []),
      ...(names.includes('pids') ? ['processes' as const] : []),
    ];
    const mount = mounts.find((each) =>
      controllers === ''
        ? each.type === 'cgroup2'
        : each.type === 'cgroup' && names.every((name) => each.options.includes(name)),
    );
    if (mount === undefined || (controllers !== '' && limits.length === 0)) return [];
    const own = path.join(mount.point, path.relative(mount.root, inside));
    if (controllers !== '') return [{ version: 1, folder: own, limits }];
    return folderAndAbove(own, mount.point).map((folder) => ({
      version: 2,
      folder,
      limits: ['memoryBytes', 'processes'],
    }));
  });
}

function folderAndAbove(folder: string, top: string): string[] {
  return folder === top || path.relative(top, folder).startsWith('..')
    ? [top]
    : [folder, ...folderAndAbove(path.dirname(folder), top)];
}

/** `36 35 98:0 /root /point rw,noatime shared:1 - type source options` */
function mountOf(line: string): { type: string; root: string; point: string; options: readonly string[] }[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', point = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return type === 'cgroup' || type === 'cgroup2' ? [{ type, root, point, options: options.split(',') }] : [];
}

function lines(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
