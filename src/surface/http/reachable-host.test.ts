import { expect, test } from 'vitest';
import { reachableHost } from './server.ts';

const address = (address: string, family: 'IPv4' | 'IPv6', internal = false) => ({
  address,
  family,
  internal,
});

test('where all addresses are listened on, it is the first that others reach', () => {
  const interfaces = {
    lo: [address('127.0.0.1', 'IPv4', true), address('::1', 'IPv6', true)],
    eth0: [address('fe80::1', 'IPv6'), address('192.0.2.7', 'IPv4')],
    eth1: [address('192.0.2.8', 'IPv4')],
  };
  for (const host of ['0.0.0.0', '::']) {
    expect(reachableHost(host, interfaces)).toBe('192.0.2.7');
    expect(reachableHost(host, { lo: interfaces.lo })).toBe('127.0.0.1');
  }
  expect(reachableHost('192.0.2.9', interfaces)).toBe('192.0.2.9');
});
