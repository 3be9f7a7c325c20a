// Reads the index of a git repository: which of its entries are repositories of their own, and whether all of it is as git itself writes it.

const HEADER = 12;
/** Times, device, inode, mode, owner, size. */
const STAT = 40;
const MODE_AT = 24;
const FILE_TYPE = 0o170000;
const GITLINK = 0o160000;
const MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, GITLINK]);
const HAS_MORE_FLAGS = 0x4000;
const STAGE = 0x3000;
const NAME_LENGTH = 0xfff;

interface IndexEntry {
  readonly at: number;
  readonly end: number;
  readonly mode: number;
  readonly flags: number;
  readonly name: Buffer;
  /** Zeros, from the end of the name to the next entry. */
  readonly padding: Buffer;
}

/**
 * The paths of submodules, as git reads them from its index (versions 2 to 4).
 * @param idBytes 20, or 32 in a repository with SHA-256
 * @throws Error when it is not an index
 */
export function gitlinksIn(index: Buffer, idBytes: number): Set<string> {
  const links = new Set<string>();
  for (const { mode, name } of entriesIn(index, idBytes))
    if ((mode & FILE_TYPE) === GITLINK) links.add(name.toString('utf8'));
  return links;
}

/**
 * Why git could do with this index what it does with none of its own, such as write to `.git` at the next `git restore`: it believes its
 * index. Undefined where nothing is wrong.
 */
export function oddityOf(index: Buffer, idBytes: number): string | undefined {
  try {
    return oddityIn(index, idBytes);
  } catch {
    return 'it cannot be read';
  }
}

function oddityIn(index: Buffer, idBytes: number): string | undefined {
  const version = index.readUInt32BE(4);
  const places: number[] = [];
  let end = HEADER;
  let before: IndexEntry | undefined;
  for (const entry of entriesIn(index, idBytes)) {
    const { mode, flags, name, padding } = entry;
    const length = flags & NAME_LENGTH;
    if (!MODES.has(mode)) return `an entry has the mode ${mode.toString(8)}`;
    if (
      length !== Math.min(name.length, NAME_LENGTH) ||
      name.includes(0) ||
      padding.some((byte) => byte !== 0)
    )
      return 'the length of a name is wrong';
    if (version === 2 && (flags & HAS_MORE_FLAGS) !== 0) return 'an entry has flags of another version';
    if (before !== undefined && !isSorted(before, entry)) return 'its entries are not in order';
    if (!isPath(name.toString('utf8')))
      return `it has ${JSON.stringify(name.toString('utf8').slice(0, 200))}, which git does not track`;
    places.push(entry.at);
    before = entry;
    ({ end } = entry);
  }
  return oddExtension(index, end, places, idBytes);
}

function isSorted(one: IndexEntry, next: IndexEntry): boolean {
  const order = Buffer.compare(one.name, next.name);
  return order < 0 || (order === 0 && (one.flags & STAGE) < (next.flags & STAGE));
}

/** As git checks paths before it tracks them, for every system at once: no step leads up or into `.git`. */
function isPath(name: string): boolean {
  if (name.split('/').some((step) => step === '' || step === '.')) return false;
  return name.split(/[/\\]/).every((step) => {
    const seen = step.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').toLowerCase();
    const plain = seen.replace(/:.*$/s, '').replace(/(?<=[^. ])[. ]+$/, '');
    return plain !== '..' && plain !== '.git' && !/^git~\d+$/.test(plain);
  });
}

/** Extensions with the offsets of entries must agree with what was read; an ordinary index uses none that git is required to understand. */
function oddExtension(
  index: Buffer,
  start: number,
  places: readonly number[],
  idBytes: number,
): string | undefined {
  let at = start;
  while (at < index.length - idBytes) {
    const name = index.toString('latin1', at, at + 4);
    const size = index.readUInt32BE(at + 4);
    const content = index.subarray(at + 8, at + 8 + size);
    if (!/^[A-Z]/.test(name)) return `it has the extension ${JSON.stringify(name)}`;
    if (name === 'EOIE' && content.readUInt32BE(0) !== start) return 'it gives another end of its entries';
    if (name === 'IEOT' && !areOffsets(content, places)) return 'it gives other places of its entries';
    at += 8 + size;
  }
  return at === index.length - idBytes ? undefined : 'an extension is longer than the index';
}

/** Blocks of entries: where each begins, and how many it has. */
function areOffsets(table: Buffer, places: readonly number[]): boolean {
  let count = 0;
  for (let at = 4; at < table.length; at += 8) {
    if (table.readUInt32BE(at) !== places[count]) return false;
    count += table.readUInt32BE(at + 4);
  }
  return count === places.length;
}

function* entriesIn(index: Buffer, idBytes: number): Iterable<IndexEntry> {
  const version = index.length < HEADER ? 0 : index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('This is not an index of git.');
  let at = HEADER;
  let name = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const mode = index.readUInt32BE(at + MODE_AT);
    const flags = index.readUInt16BE(at + STAT + idBytes);
    let start = at + STAT + idBytes + (version >= 3 && (flags & HAS_MORE_FLAGS) !== 0 ? 4 : 2);
    let kept = 0;
    if (version === 4) ({ value: kept, end: start } = offsetAt(index, start));
    // As git does it: the name has the length that is given, unless the length does not fit its field.
    const length = flags & NAME_LENGTH;
    const before = version === 4 ? name.length - kept : 0;
    const stop = length < NAME_LENGTH ? start + length - before : index.indexOf(0, start);
    if (stop < start || stop >= index.length || before < 0)
      throw new Error('The index of git ends in the middle of an entry.');
    // The first part of a name is that of the name before it.
    name = Buffer.concat([name.subarray(0, before), index.subarray(start, stop)]);
    const end = version === 4 ? stop + 1 : at + Math.ceil((stop + 1 - at) / 8) * 8;
    yield { at, end, mode, flags, name, padding: index.subarray(stop, end) };
    at = end;
  }
}

/** A number as git writes offsets: seven bits a byte, each further byte one more than its bits say. */
function offsetAt(buffer: Buffer, from: number): { value: number; end: number } {
  let at = from;
  let byte = buffer.readUInt8(at);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = buffer.readUInt8(at);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: at + 1 };
}
