// A tenth of host-kills.soak.ts.
import { describe, expect, test } from 'vitest';
import { namespacesWork } from '../support/fleet/namespaces.ts';
import { seed } from '../support/seed.ts';
import { killHosts } from './kill-hosts.ts';

const canMakeNamespaces = await namespacesWork();
const KILLS = 20;

const nothing = { kills: KILLS, survivors: [], bystanders: 'untouched', files: [] };

describe('a host that is killed leaves no process behind', () => {
  test.runIf(canMakeNamespaces)('namespace (needs bubblewrap, allowed to make PID namespaces)', async () => {
    expect(await killHosts('namespace', KILLS, seed())).toMatchObject(nothing);
  });

  test('warden', async () => {
    expect(await killHosts('warden', KILLS, seed())).toMatchObject(nothing);
  });

  test('group, when the next host has started', async () => {
    expect(await killHosts('group', KILLS, seed())).toMatchObject(nothing);
  });
});
