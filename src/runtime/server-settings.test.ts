import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { serverSettings } from './server-settings.ts';

const read = (own: object, project: object, env: Record<string, string> = {}) => {
  const home = temporaryFolder({ 'pluglot/pluglot.json': own });
  const cwd = temporaryFolder({ '.git/HEAD': '', 'pluglot.json': project });
  return serverSettings({ cwd, home, env: { PLUGLOT_HOME: path.join(home, 'pluglot'), ...env } });
};

test('the own file counts; of a project that nobody trusts nothing does, and that is told', async () => {
  const { server, problems } = await read({ server: { port: 1234 } }, { server: { host: '0.0.0.0' } });
  expect(server).toEqual({ port: 1234 });
  expect(problems).toMatchObject([
    { severity: 'warning', wayOut: expect.stringContaining('trust') as string },
  ]);
});

test('limits of requests are taken one by one', async () => {
  const { server } = await read({ server: { limits: { keys: 7, bodyBytes: 100 } } }, {});
  expect(server).toEqual({ limits: { keys: 7, bodyBytes: 100 } });
  const { problems } = await read({ server: { limits: { keys: 0 } } }, {});
  expect(problems).toMatchObject([{ severity: 'error' }]);
});

test('a profile whose token is not set is not open with that of the host', async () => {
  const profiles = { reader: { token: '${env:READER}', readOnly: true }, all: {} };
  const missing = await read({ profiles }, {});
  expect(Object.keys(missing.profiles)).toEqual(['all']);
  expect(missing.problems[0]?.reason).toContain('READER');
  const empty = await read({ profiles }, {}, { READER: '' });
  expect(Object.keys(empty.profiles)).toEqual(['all']);
  expect(empty.problems[0]?.reason).toContain('READER');
  const { profiles: set } = await read({ profiles }, {}, { READER: 'secret' });
  expect(set['reader']).toEqual({ token: 'secret', readOnly: true });
});

test('profiles with one token are not used, and each of them is reported', async () => {
  const profiles = {
    reader: { token: '${env:READER}', readOnly: true },
    writer: { token: 'secret' },
    other: { token: 'own' },
    all: {},
    small: {},
  };
  const shared = await read({ profiles }, {}, { READER: 'secret' });
  expect(Object.keys(shared.profiles)).toEqual(['other', 'all', 'small']);
  expect(shared.problems).toMatchObject([
    {
      severity: 'error',
      reason: 'profiles.reader: not used, since it has the same token as profiles.writer',
    },
    {
      severity: 'error',
      reason: 'profiles.writer: not used, since it has the same token as profiles.reader',
    },
  ]);
  expect((await read({ profiles }, {}, { READER: 'different' })).problems).toEqual([]);
});

test('of a file that cannot be read, what it said before still counts, until it says something else', async () => {
  const home = temporaryFolder({ 'pluglot/pluglot.json': { profiles: { small: { search: true } } } });
  const file = path.join(home, 'pluglot/pluglot.json');
  const options = {
    cwd: temporaryFolder({ '.git/HEAD': '' }),
    home,
    env: { PLUGLOT_HOME: path.join(home, 'pluglot') },
  };
  const first = await serverSettings(options);
  for (const broken of ['{ "profiles": ', '{ "profiles": { "small": { "search": "perhaps" } } }']) {
    writeFileSync(file, broken);
    expect((await serverSettings(options)).profiles['small']?.search).toBeUndefined();
    const { profiles, entries } = await serverSettings(options, first.entries);
    expect(profiles).toEqual({ small: { search: true } });
    expect(entries).toEqual(first.entries);
  }
  writeFileSync(file, '{}');
  expect((await serverSettings(options, first.entries)).profiles).toEqual({});
});

test('what is wrong is left out, with its line', async () => {
  const { server, problems } = await read({ server: { port: 'x', console: false } }, {});
  expect(server).toEqual({ console: false });
  expect(problems).toMatchObject([{ severity: 'error', line: 3 }]);
});
