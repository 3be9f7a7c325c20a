// Reads from the index of a git repository which of its entries are repositories of their own.

const HEADER = 12;
/** Times, device, inode, mode, owner, size. */
const STAT = 40;
const MODE_AT = 24;
const GITLINK = 0o160000;
const HAS_MORE_FLAGS = 0x40;

/**
 * The paths of submodules, as git writes them into its index (versions 2 to 4).
 * @param idBytes 20, or 32 in a repository with SHA-256
 * @throws Error when it is not an index
 */
export function gitlinksIn(index: Buffer, idBytes: number): Set<string> {
  const version = index.length < HEADER ? 0 : index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('This is not an index of git.');
  const links = new Set<string>();
  let at = HEADER;
  let name = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const mode = index.readUInt32BE(at + MODE_AT);
    let flags = at + STAT + idBytes;
    flags += version >= 3 && (index.readUInt8(flags) & HAS_MORE_FLAGS) !== 0 ? 4 : 2;
    let start = flags;
    let kept = 0;
    if (version === 4) ({ value: kept, end: start } = offsetAt(index, flags));
    const end = index.indexOf(0, start);
    if (end === -1 || kept > name.length) throw new Error('The index of git ends in the middle of an entry.');
    // The first part of a name is that of the name before it.
    name = Buffer.concat([
      version === 4 ? name.subarray(0, name.length - kept) : EMPTY,
      index.subarray(start, end),
    ]);
    if (mode === GITLINK) links.add(name.toString('utf8'));
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return links;
}

const EMPTY = Buffer.alloc(0);

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
