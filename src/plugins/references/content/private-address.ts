// Addresses that are nobody's business on the internet: of this machine, of local networks, of nothing.
import { BlockList, isIP } from 'node:net';

// Apart, since a list takes an address of IPv4 for its form in IPv6 too.
const localIPv4 = new BlockList();
const localIPv6 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  localIPv4.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 96],
  // Addresses of IPv4 in other clothes: nothing public has to be reached through them.
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  localIPv6.addSubnet(network, bits, 'ipv6');

/** Also what is no address at all. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return localIPv4.check(plain, 'ipv4');
    case 6:
      return localIPv6.check(plain, 'ipv6');
    default:
      return true;
  }
}
