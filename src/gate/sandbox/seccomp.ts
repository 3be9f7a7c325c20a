// The system calls that a confined program may not make, as a filter that bubblewrap loads: what namespaces do not part from the host.
import { constants } from 'node:os';

/** Numbers of system calls by architecture. */
interface Calls {
  /** As the kernel names the architecture. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioctl: number;
  readonly fcntl: number;
  /** io_uring can open sockets past any filter: programs take it as a kernel without it. */
  readonly ioUringSetup: number;
  /** Calls that set the mode of a file, with where that stands among the arguments. openat2 hides it: programs do without. */
  readonly modes: readonly { readonly call: number; readonly mode: number; readonly flags?: number }[];
  readonly openat2: number;
  /** add_key, request_key, keyctl, syslog, perf_event_open, bpf, userfaultfd, unshare, setns. */
  readonly refused: readonly number[];
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Calls>>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    fcntl: 72,
    ioUringSetup: 425,
    // chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat, open, openat.
    modes: [
      { call: 90, mode: 1 },
      { call: 91, mode: 1 },
      { call: 268, mode: 2 },
      { call: 452, mode: 2 },
      { call: 85, mode: 1 },
      { call: 133, mode: 1 },
      { call: 259, mode: 2 },
      { call: 2, mode: 2, flags: 1 },
      { call: 257, mode: 3, flags: 2 },
    ],
    openat2: 437,
    refused: [248, 249, 250, 103, 298, 321, 323, 272, 308],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    fcntl: 25,
    ioUringSetup: 425,
    // fchmod, fchmodat, fchmodat2, mknodat, openat.
    modes: [
      { call: 52, mode: 1 },
      { call: 53, mode: 2 },
      { call: 452, mode: 2 },
      { call: 33, mode: 2 },
      { call: 56, mode: 3, flags: 2 },
    ],
    openat2: 437,
    refused: [217, 218, 219, 116, 241, 280, 282, 97, 268],
  },
};

const AF_UNIX = 1;
/** Internet, and netlink, which lists the interfaces. Others, such as vsock to the host of a virtual machine, ignore network namespaces. */
const FAMILIES = [2, 10, 16];
/** SOCK_STREAM and SOCK_SEQPACKET: a pair of them stays connected to itself. One of datagrams sends to every address. */
const CONNECTED_TYPES = [1, 5];
/** The other bits of a type are flags. */
const TYPE_BITS = 0xf;
/** TIOCSTI and TIOCLINUX put characters into the input of a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** F_SETLEASE and F_NOTIFY: with a lease, a program makes the host wait for a file that it may only read, or find it unreadable. */
const LEASES = [1024, 1026];
/** Such a file runs as its owner: with one in the workspace, another user of the machine could become this one. */
const SET_USER_ID = 0o4000;
/** O_CREAT, and the bit of O_TMPFILE. */
const CREATES = 0o100 | 0o20_000_000;

/**
 * A program of the kernel's packet filter; undefined where the numbers of the calls are not known.
 * With the network of the host come its abstract Unix sockets, so there are none then but pairs that reach only each other.
 */
export function systemCallFilter(network: boolean, architecture = process.arch): Buffer | undefined {
  const calls = ARCHITECTURES[architecture];
  if (calls === undefined) return undefined;
  const { EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT } = constants.errno;
  const families = network ? FAMILIES : [AF_UNIX, ...FAMILIES];
  return assemble([
    load(ARCHITECTURE_AT),
    unless(calls.audit, refuse(ENOSYS)),
    load(NUMBER_AT),
    // Another way to count the calls of x64.
    [{ code: JUMP_IF_AT_LEAST, yes: 0, no: 1, value: 0x4000_0000 }, ...refuse(ENOSYS)],
    when(calls.ioUringSetup, refuse(ENOSYS)),
    when(calls.openat2, refuse(ENOSYS)),
    ...calls.refused.map((number) => when(number, refuse(EPERM))),
    ...calls.modes.map(({ call, mode, flags }) =>
      when(call, [
        ...(flags === undefined ? [] : [...load(argumentAt(flags)), ...unlessAny(CREATES, ALLOW)]),
        ...load(argumentAt(mode)),
        ...unlessAny(SET_USER_ID, ALLOW),
        ...refuse(EPERM),
      ]),
    ),
    when(calls.socket, [
      ...load(argumentAt(0)),
      ...families.flatMap((family) => when(family, ALLOW)),
      ...refuse(EAFNOSUPPORT),
    ]),
    when(calls.socketpair, [
      ...load(argumentAt(0)),
      ...unless(AF_UNIX, refuse(EAFNOSUPPORT)),
      ...(network
        ? [
            ...load(argumentAt(1)),
            ...masked(TYPE_BITS),
            ...CONNECTED_TYPES.flatMap((type) => when(type, ALLOW)),
            ...refuse(EPROTONOSUPPORT),
          ]
        : ALLOW),
    ]),
    when(calls.ioctl, [
      ...load(argumentAt(1)),
      ...TERMINAL_INPUT.flatMap((request) => when(request, refuse(EPERM))),
      ...ALLOW,
    ]),
    when(calls.fcntl, [
      ...load(argumentAt(1)),
      ...LEASES.flatMap((command) => when(command, refuse(EPERM))),
      ...ALLOW,
    ]),
    ALLOW,
  ]);
}

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

/** Where the kernel puts what it knows of a call; of arguments the lower half, which is all that these calls read. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number) => 16 + 8 * index;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY = 0x45;
const RETURN = 0x06;

const ALLOW: readonly Instruction[] = [{ code: RETURN, yes: 0, no: 0, value: 0x7fff_0000 }];

function refuse(errno: number): readonly Instruction[] {
  return [{ code: RETURN, yes: 0, no: 0, value: 0x0005_0000 | errno }];
}

function load(offset: number): readonly Instruction[] {
  return [{ code: LOAD, yes: 0, no: 0, value: offset }];
}

function masked(bits: number): readonly Instruction[] {
  return [{ code: AND, yes: 0, no: 0, value: bits }];
}

function when(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_IF_EQUAL, yes: 0, no: then.length, value }, ...then];
}

function unless(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_IF_EQUAL, yes: then.length, no: 0, value }, ...then];
}

function unlessAny(bits: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_IF_ANY, yes: then.length, no: 0, value: bits }, ...then];
}

function assemble(parts: readonly (readonly Instruction[])[]): Buffer {
  const program = parts.flat();
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, yes, no, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
