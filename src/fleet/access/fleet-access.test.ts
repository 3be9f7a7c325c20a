import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deferred } from '../../base/async.ts';
import { oauthWorld, sayYes } from '../../../test/support/dialect/mcp/oauth-server.ts';
import { realFleet } from '../../../test/support/fleet/real-fleet.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { fileSafe, fleetAccess, createOnce } from './fleet-access.ts';

const forEver = new AbortController().signal;

test('a safe keeps its texts for the user alone', async () => {
  const folder = path.join(temporaryFolder(), 'tokens');
  const safe = fileSafe(folder);
  expect(await safe.read('a')).toBeUndefined();
  await safe.change('a', (text) => Promise.resolve(`${text ?? ''}1`));
  await safe.change('a', (text) => Promise.resolve(`${text ?? ''}2`));
  await safe.change('a', () => Promise.resolve(undefined));
  expect(await safe.read('a')).toBe('12');
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(folder, 'a.json')).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(['a.json']);
  await safe.remove('a');
  expect(await safe.read('a')).toBeUndefined();
  expect(() => safe.read('../a')).toThrow('No key');
});

test('a safe that others may open is not used', async () => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'a.json'), 'x', { mode: 0o644 });
  await expect(fileSafe(folder).read('a')).rejects.toThrow('others may open it');
});

test('work is done once for all who want it, and again for those who come later', async () => {
  const once = createOnce();
  const result = deferred<number>();
  let times = 0;
  const work = () => ((times += 1), result.promise);
  const both = [once('a', forEver, work), once('a', forEver, work)];
  result.resolve(7);
  expect(await Promise.all(both)).toEqual([7, 7]);
  expect(await once('a', forEver, work)).toBe(7);
  expect(times).toBe(2);
});

test('who leaves takes nobody along; when all have left, the work is given up', async () => {
  const once = createOnce();
  const [first, second] = [new AbortController(), new AbortController()];
  let given: AbortSignal | undefined;
  const work = (signal: AbortSignal) => ((given = signal), new Promise<never>(() => {}));
  const waits = [once('a', first.signal, work), once('a', second.signal, work)];
  first.abort(new Error('first'));
  await expect(waits[0]).rejects.toThrow('first');
  expect(given?.aborted).toBe(false);
  second.abort(new Error('second'));
  await expect(waits[1]).rejects.toThrow('second');
  expect(given?.aborted).toBe(true);
});

test('whoever attends is shown the address, also one that waits already', async () => {
  const opened: string[] = [];
  const access = fleetAccess({ folder: temporaryFolder(), openUrl: (url) => void opened.push(url) });
  const over = new AbortController();
  await access.person('a')?.('https://one', over.signal);
  const shown: string[] = [];
  const leave = access.attend('a', (url) => shown.push(url));
  expect(shown).toEqual(['https://one']);
  over.abort();
  await access.person('a')?.('https://two', forEver);
  leave();
  await access.person('a')?.('https://three', forEver);
  expect(shown).toEqual(['https://one', 'https://two']);
  expect(opened).toEqual(['https://one', 'https://three']);
});

test('where nobody opens addresses, somebody is there only while they attend', () => {
  const access = fleetAccess({ folder: temporaryFolder() });
  expect(access.person('a')).toBeUndefined();
  const leave = access.attend('a', () => {});
  expect(access.person('a')).toBeDefined();
  expect(access.person('b')).toBeUndefined();
  leave();
  expect(access.person('a')).toBeUndefined();
});

test('the limit of a start does not run while a person decides', async () => {
  const world = await oauthWorld();
  const clock = fakeClock();
  const access = fleetAccess({
    folder: temporaryFolder(),
    async openUrl(url) {
      clock.advance(120_000);
      // A limit that is over would be told by now.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await sayYes(url);
    },
  });
  const spec = { name: 'remote', dialect: 'mcp', start: { kind: 'http', url: world.url } } as const;
  const fleet = realFleet([spec], { access, clock });
  await fleet.start();
  expect(fleet.plugin('remote').status.state).toBe('ready');
});

test('a server that lets nobody in fails for good, with the way out', async () => {
  const world = await oauthWorld();
  const access = fleetAccess({ folder: temporaryFolder() });
  const spec = { name: 'remote', dialect: 'mcp', start: { kind: 'http', url: world.url } } as const;
  const fleet = realFleet([spec], { access });
  const plugin = fleet.plugin('remote');
  await fleet.start();
  expect(plugin.status).toMatchObject({
    state: 'failed',
    restarts: 0,
    reason: {
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('pluglot run mcp connect remote') as unknown,
    },
  });
  const leave = access.attend('remote', (url) => void sayYes(url));
  await plugin.start();
  leave();
  expect(plugin.tools()).toHaveLength(2);
  expect(JSON.stringify(plugin.logs.entries)).not.toMatch(/access-|refresh-|code-/);
});
