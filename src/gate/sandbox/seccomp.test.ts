import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { systemCallFilter } from './seccomp.ts';

const { EAFNOSUPPORT, EPERM, EPROTONOSUPPORT, ENOSYS } = constants.errno;
const [AF_UNIX, AF_INET, AF_TIPC, AF_VSOCK] = [1, 2, 30, 40];
const [STREAM, DGRAM, RAW, SEQPACKET] = [1, 2, 3, 5];
const FLAGS = 0o2_004_000;

describe.each([
  ['x64', 0xc000_003e, { socket: 41, socketpair: 53, sendto: 44, fcntl: 72 }],
  ['arm64', 0xc000_00b7, { socket: 198, socketpair: 199, sendto: 206, fcntl: 25 }],
] as const)('the filter for %s', (architecture, audit, calls) => {
  const answer = (network: boolean, call: keyof typeof calls, ...args: number[]) =>
    run(systemCallFilter(network, architecture), audit, calls[call], args);

  test.each([
    [STREAM, 'allowed'],
    [STREAM | FLAGS, 'allowed'],
    [SEQPACKET, 'allowed'],
    [SEQPACKET | FLAGS, 'allowed'],
    [DGRAM, EPROTONOSUPPORT],
    [DGRAM | FLAGS, EPROTONOSUPPORT],
    [RAW, EPROTONOSUPPORT],
    [0, EPROTONOSUPPORT],
  ])('with the network, a pair of Unix sockets of type %i: %s', (type, expected) => {
    expect(answer(true, 'socketpair', AF_UNIX, type, 0)).toBe(expected);
  });

  test('without it, pairs of all types, and Unix sockets, which reach nothing outside', () => {
    for (const type of [STREAM, DGRAM, SEQPACKET])
      expect(answer(false, 'socketpair', AF_UNIX, type, 0)).toBe('allowed');
    expect(answer(false, 'socket', AF_UNIX, DGRAM, 0)).toBe('allowed');
    expect(answer(true, 'socket', AF_UNIX, STREAM, 0)).toBe(EAFNOSUPPORT);
  });

  test.each([true, false])('no other family that makes pairs or reaches the host: network %s', (network) => {
    for (const family of [AF_INET, AF_TIPC, AF_VSOCK])
      expect(answer(network, 'socketpair', family, STREAM, 0)).toBe(EAFNOSUPPORT);
    expect(answer(network, 'socket', AF_VSOCK, STREAM, 0)).toBe(EAFNOSUPPORT);
    expect(answer(network, 'socket', AF_INET, DGRAM, 0)).toBe('allowed');
    expect(answer(network, 'sendto', 3, 0, 0)).toBe('allowed');
  });

  test.each([true, false])(
    'no leases and no notes on folders, by which the host would wait: network %s',
    (network) => {
      const [F_GETFL, F_SETLK, F_SETLEASE, F_NOTIFY] = [3, 6, 1024, 1026];
      for (const command of [F_SETLEASE, F_NOTIFY])
        expect(answer(network, 'fcntl', 3, command, 1)).toBe(EPERM);
      for (const command of [F_GETFL, F_SETLK])
        expect(answer(network, 'fcntl', 3, command, 1)).toBe('allowed');
    },
  );

  test('no calls of another architecture', () => {
    expect(run(systemCallFilter(true, architecture), 0x4000_0003, calls.sendto, [])).toBe(ENOSYS);
  });
});

/** What the kernel makes of the filter. */
function run(filter: Buffer | undefined, audit: number, call: number, args: readonly number[]) {
  if (filter === undefined) throw new Error('There is no filter.');
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const jump = (isTrue: boolean) => (at += filter.readUInt8(at * 8 + (isTrue ? 2 : 3)));
    if (code === 0x06) return value === 0x7fff_0000 ? 'allowed' : value & 0xffff;
    else if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x54) loaded = (loaded & value) >>> 0;
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else throw new Error(`There is no instruction ${code.toString(16)}.`);
  }
}
