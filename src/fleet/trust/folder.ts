// A folder that is held by a descriptor. Confined programs can exchange a folder for a link at any moment. What is opened by steps that
// follow no link, and named from the descriptor, is in that folder, whatever its path leads to by then.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';

/** One step: neither empty nor `.` nor `..`, and without a separator. Names that are not UTF-8 are bytes. */
export type Name = string | Buffer;

export interface FolderEntry {
  readonly name: Buffer;
  readonly kind: 'file' | 'folder' | 'other';
}

export interface FileContent {
  readonly bytes: Buffer;
  readonly stat: fs.BigIntStats;
}

export interface WriteOptions {
  /** Permission bits. @default those of every new file of this user */
  readonly mode?: number;
  /** Of whom the times are taken over, in milliseconds. */
  readonly times?: Pick<fs.BigIntStats, 'atimeMs' | 'mtimeMs'>;
}

export class Folder {
  /** Undefined where there is no /proc to name files from it. */
  readonly #descriptor: number | undefined;
  /** What names are added to. */
  readonly #place: string;

  private constructor(place: string | Buffer) {
    if (process.platform === 'linux') {
      this.#descriptor = fs.openSync(place, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      this.#place = `/proc/self/fd/${this.#descriptor}`;
    } else {
      // There are only paths. A link on the way is found when the folder is opened, and not later.
      this.#place = String(place);
      if (!fs.lstatSync(place).isDirectory() || fs.realpathSync.native(place) !== this.#place)
        throw Object.assign(new Error(`${this.#place} is not a folder, or a link leads to it.`), {
          code: 'ENOTDIR',
        });
    }
  }

  /**
   * @param place absolute; a link on the way is not followed
   * @throws Error where it is not a folder
   */
  static open(place: string): Folder {
    const { root } = path.parse(place);
    let folder = new Folder(root);
    for (const step of place.slice(root.length).split(path.sep)) {
      if (step === '') continue;
      const above = folder;
      try {
        folder = above.open(step);
      } finally {
        above.close();
      }
    }
    return folder;
  }

  /** The same; undefined where it is not a folder, or a link is on the way. */
  static find(place: string): Folder | undefined {
    return existing(() => Folder.open(place));
  }

  /** The same, closed after use. */
  static within<T>(place: string, use: (folder: Folder) => T): T | undefined {
    const folder = Folder.find(place);
    try {
      return folder && use(folder);
    } finally {
      folder?.close();
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
  }

  /** @throws Error where it is not a folder */
  open(name: Name): Folder {
    return new Folder(this.#pathOf(name));
  }

  /** Undefined where it is not a folder. */
  find(name: Name): Folder | undefined {
    return existing(() => this.open(name));
  }

  /** Uses a folder in this one; undefined where there is none. */
  inside<T>(name: Name, use: (folder: Folder) => T): T | undefined {
    const folder = this.find(name);
    try {
      return folder && use(folder);
    } finally {
      folder?.close();
    }
  }

  /** Of the entry itself, also where it is a link. Without a name: of this folder. */
  stat(name?: Name): fs.BigIntStats | undefined {
    if (name === undefined) return fs.statSync(this.#place, { bigint: true });
    return existing(() => fs.lstatSync(this.#pathOf(name), { bigint: true }));
  }

  isFile(name: Name): boolean {
    return this.stat(name)?.isFile() ?? false;
  }

  isFolder(name: Name): boolean {
    return this.stat(name)?.isDirectory() ?? false;
  }

  /** Gives the owner all rights on this folder, where some are missing. */
  permit(): void {
    const mode = Number(this.stat()?.mode ?? 0);
    // A path to a descriptor leads to what it holds.
    if ((mode & 0o700) !== 0o700) fs.chmodSync(this.#place, (mode & 0o7777) | 0o700);
  }

  /** Read piece by piece: there may be any number of them. */
  *entries(): Generator<FolderEntry, void> {
    // Its types know names as text alone.
    const encoding = 'buffer' as BufferEncoding;
    const folder = fs.opendirSync(this.#place, { encoding, bufferSize: 256 });
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
        yield { name: entry.name as unknown as Buffer, kind };
      }
    } finally {
      folder.closeSync();
    }
  }

  /** The names that are UTF-8, `limit` of them at most. */
  names(limit = Infinity): string[] {
    const names: string[] = [];
    for (const { name } of this.entries()) {
      if (names.length >= limit) break;
      const text = name.toString('utf8');
      if (Buffer.from(text).equals(name)) names.push(text);
    }
    return names;
  }

  /** What a regular file holds. Links are not followed, and pipes are not waited for. */
  read(name: Name, limitBytes: number): FileContent | 'absent' | 'not-a-file' | 'too-large' {
    const before = this.stat(name);
    if (before === undefined) return 'absent';
    if (!before.isFile()) return 'not-a-file';
    const file = existing(() => fs.openSync(this.#pathOf(name), READ));
    if (file === undefined) return 'not-a-file';
    try {
      const stat = fs.fstatSync(file, { bigint: true });
      if (!stat.isFile()) return 'not-a-file';
      if (stat.size > limitBytes) return 'too-large';
      const bytes = readUpTo(file, Number(stat.size) + 1);
      // It grew meanwhile.
      return bytes.length > stat.size ? 'too-large' : { bytes, stat };
    } finally {
      fs.closeSync(file);
    }
  }

  /** Makes a file. @throws Error EEXIST where something has that name, be it a link */
  write(name: Name, content: Uint8Array | string, { mode, times }: WriteOptions = {}): void {
    const file = fs.openSync(this.#pathOf(name), CREATE, mode ?? 0o666);
    try {
      fs.writeFileSync(file, content);
      if (mode !== undefined) fs.fchmodSync(file, mode);
      if (times !== undefined)
        fs.futimesSync(file, Number(times.atimeMs) / 1000, Number(times.mtimeMs) / 1000);
    } finally {
      fs.closeSync(file);
    }
  }

  /** Puts a file in the place of what has the name. */
  replace(name: string, content: Uint8Array | string, options?: WriteOptions): void {
    const fresh = `${name}.${randomBytes(6).toString('hex')}`;
    try {
      this.write(fresh, content, options);
      this.rename(fresh, name);
    } catch (thrown) {
      this.remove(fresh);
      throw thrown;
    }
  }

  rename(from: Name, to: Name): void {
    fs.renameSync(this.#pathOf(from), this.#pathOf(to));
  }

  /** @throws Error EEXIST */
  make(name: Name, mode?: number): void {
    fs.mkdirSync(this.#pathOf(name), mode);
  }

  /** Removes a file or a link, where there is one. */
  remove(name: Name): void {
    existing(() => fs.unlinkSync(this.#pathOf(name)));
  }

  /** @throws Error ENOTEMPTY, ENOTDIR, EBUSY */
  removeEmpty(name: Name): void {
    fs.rmdirSync(this.#pathOf(name));
  }

  /** Removes a folder with all that it holds, as far as it can. It gives way to others each time it yields. */
  *removeTree(name: Name): Generator<void, void> {
    const open: {
      readonly folder: Folder;
      readonly name: Name;
      readonly rest: Generator<FolderEntry, void>;
    }[] = [];
    const enter = (above: Folder, name: Name) => {
      const folder = open.length < DEPTH_MAX ? attempt(() => above.open(name)) : undefined;
      if (folder !== undefined) open.push({ folder, name, rest: folder.entries() });
    };
    enter(this, name);
    try {
      let count = 0;
      for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
        count += 1;
        if (count % REMOVED_AT_ONCE === 0) yield;
        const { folder, name, rest } = last;
        const next = attempt(() => rest.next().value ?? undefined);
        if (next?.kind === 'folder') enter(folder, next.name);
        else if (next !== undefined) attempt(() => folder.remove(next.name));
        else {
          open.pop();
          folder.close();
          const above = open.at(-1)?.folder ?? this;
          attempt(() => above.removeEmpty(name));
        }
      }
    } finally {
      for (const { folder, rest } of open) {
        rest.return();
        folder.close();
      }
    }
  }

  #pathOf(name: Name): string | Buffer {
    if (name.length === 0 || name.includes('/') || name.includes('\0') || /^\.\.?$/.test(String(name)))
      throw new Error(`${JSON.stringify(String(name))} is not the name of a file.`);
    return typeof name === 'string'
      ? `${this.#place}/${name}`
      : Buffer.concat([Buffer.from(`${this.#place}/`), name]);
  }
}

/** Where a path leads after all links; the path itself where nothing is there. */
export function realPath(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/**
 * What a small file holds, also where links of the user lead to it. Empty where there is no such file.
 * @throws PluglotError CONFIG_INVALID where there is one that cannot be read whole: it must not look empty
 */
export function readText(file: string): string {
  const place = realPath(file);
  let found: ReturnType<Folder['read']> | undefined;
  try {
    // A confined program may exchange it meanwhile: links are not followed any more.
    found = existing(() =>
      Folder.within(path.dirname(place), (folder) => folder.read(path.basename(place), TEXT_MAX)),
    );
  } catch (thrown) {
    throw new PluglotError('CONFIG_INVALID', `${file} cannot be read (${codeOf(thrown) || 'unknown'}).`);
  }
  if (found === 'too-large')
    throw new PluglotError('CONFIG_INVALID', `${file} is larger than ${TEXT_MAX} bytes, and is not read.`);
  return typeof found === 'object' ? found.bytes.toString('utf8') : '';
}

const TEXT_MAX = 1024 * 1024;

/** Runs what gives way, with others in between. */
export async function givingWay<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A few milliseconds of work. */
const REMOVED_AT_ONCE = 250;

/** Each takes a descriptor while what is below it is removed. */
const DEPTH_MAX = 1000;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Node does not name it. A folder that can only be entered can be held, too. */
const O_PATH = 0o10_000_000;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const CREATE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

function readUpTo(file: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = fs.readSync(file, buffer, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Undefined where nothing of that name is there, or not what was looked for. */
function existing<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (thrown) {
    if (ABSENT.has(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
