// What a project that nobody trusts can reach through its key `gate`: it tightens, and loosens nothing.
import path from 'node:path';
import { expect, test } from 'vitest';
import { call } from '../../test/support/gate/policy.ts';
import { temporaryFolder, type Content } from '../../test/support/temporary-folder.ts';
import { userTrustStore } from '../fleet/discovery/discover.ts';
import { createPolicy } from '../gate/policy/create-policy.ts';
import { gateSettings } from './gate-settings.ts';
import { permissionsOf } from './permissions.ts';

test('rules that are trusted elsewhere do not hold because a stranger names them', async () => {
  const at = place({
    'mine/permissions.json': { defaultPolicy: 'ask', whitelist: { tools: ['build'] } },
    'project/pluglot.json': { gate: { permissions: '../mine/permissions.json' } },
  });
  const mine = path.join(at.folder, 'mine');
  await at.trust.add(mine, [path.join(mine, 'permissions.json')]);
  expect((await policyAt(at)).decide(call('build'))).toMatchObject({ kind: 'ask' });
  await at.trust.add(at.cwd, [path.join(at.cwd, 'pluglot.json')]);
  expect((await policyAt(at)).decide(call('build'))).toMatchObject({ kind: 'allow' });
});

test('what a stranger calls destructive is asked about where it was allowed, and stays denied where it was denied', async () => {
  const project = { 'project/pluglot.json': { gate: { classes: { destructive: ['*'] } } } };
  const rules = (defaultPolicy: string) => ({
    'home/pluglot/permissions.json': { defaultPolicy, whitelist: { tools: ['mine'] } },
    ...project,
  });
  const denying = await policyAt(place(rules('deny')));
  expect(denying.decide(call('build'))).toMatchObject({ kind: 'deny' });
  const allowing = await policyAt(place(rules('allow')));
  expect(allowing.decide(call('build'))).toMatchObject({ kind: 'ask' });
  expect(allowing.decide(call('mine'))).toMatchObject({ kind: 'allow' });
  expect((await policyAt(place(project))).decide(call('build'))).toMatchObject({ kind: 'ask' });
});

type At = ReturnType<typeof place>;

function place(files: Record<string, Content>) {
  const folder = temporaryFolder({ 'project/.keep': '', ...files });
  const home = path.join(folder, 'home');
  const at = { cwd: path.join(folder, 'project'), home, env: { PLUGLOT_HOME: path.join(home, 'pluglot') } };
  return { ...at, folder, trust: userTrustStore(at) };
}

async function policyAt(at: At) {
  const permissions = await permissionsOf(await gateSettings(at), at);
  return createPolicy({ permissions, cwd: at.cwd, home: at.home });
}
