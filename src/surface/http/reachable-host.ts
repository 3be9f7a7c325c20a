// What an address is called by those who connect to it: one that stands for all of this machine is nobody's to type.
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined>
>;

/** The first address that others reach where all are listened on; this machine's own where there is none. */
export function reachableHost(host: string, interfaces: Interfaces = networkInterfaces()): string {
  if (!wildcards.has(host)) return host;
  const known = Object.values(interfaces).flatMap((one) => one ?? []);
  return known.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '']);
