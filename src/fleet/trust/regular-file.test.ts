import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { link, namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { hashFile, readTextFile } from './files.ts';

test('reads text, its hash and its mode; a byte order mark is no part of the text', async () => {
  const bytes = Buffer.from('\ufeff{"name": "Grüße"}');
  const folder = temporaryFolder({ 'manifest.json': bytes });
  const file = path.join(folder, 'manifest.json');
  fs.chmodSync(file, 0o640);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await readTextFile(file, 100)).toEqual({
    kind: 'read',
    mode: 0o640,
    text: '{"name": "Grüße"}',
    sha256,
  });
  expect(await hashFile(file)).toEqual({
    kind: 'read',
    mode: 0o640,
    sha256,
    identity: expect.any(String) as string,
  });
  expect(await hashFile(file, bytes.length)).toMatchObject({ sha256, bytes });
  expect(await hashFile(file, bytes.length - 1)).not.toHaveProperty('bytes');
});

test('reads an empty file', async () => {
  const folder = temporaryFolder({ empty: '' });
  expect(await readTextFile(path.join(folder, 'empty'), 10)).toMatchObject({ kind: 'read', text: '' });
});

test('what is not there is absent', async () => {
  const folder = temporaryFolder({ file: 'x', broken: link('nowhere') });
  for (const name of ['none', 'file/below', 'broken']) {
    expect(await readTextFile(path.join(folder, name), 10)).toEqual({ kind: 'absent' });
    expect(await hashFile(path.join(folder, name))).toEqual({ kind: 'absent' });
  }
});

test('what is too large is not read', async () => {
  const folder = temporaryFolder({ huge: (file) => fs.writeFileSync(file, '') });
  const file = path.join(folder, 'huge');
  // Sparse: a terabyte that takes no room.
  fs.truncateSync(file, 2 ** 40);
  const reason = 'has 1099511627776 bytes; at most 10 are read';
  expect(await readTextFile(file, 10)).toEqual({ kind: 'unreadable', reason });
  expect(await hashFile(file)).toMatchObject({ kind: 'unreadable' });
});

test('bytes that are no text are told', async () => {
  const folder = temporaryFolder({ binary: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]) });
  expect(await readTextFile(path.join(folder, 'binary'), 10)).toEqual({
    kind: 'unreadable',
    reason: 'is not UTF-8 text',
  });
});

test('a directory, a named pipe, a socket, a device and a loop of links are told and block nobody', async () => {
  const folder = temporaryFolder({
    'folder/file': '',
    pipe: namedPipe(),
    loop: link('loop'),
    null: link('/dev/null'),
  });
  const server = net.createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path.join(folder, 'socket'), resolve));
  const reasons = {
    folder: 'is a directory',
    pipe: 'is a named pipe',
    socket: 'is a socket',
    null: 'is not a regular file',
    loop: 'is a symbolic link that leads to itself',
  };
  for (const [name, reason] of Object.entries(reasons)) {
    expect(await readTextFile(path.join(folder, name), 10), name).toEqual({ kind: 'unreadable', reason });
    expect(await hashFile(path.join(folder, name)), name).toEqual({ kind: 'unreadable', reason });
  }
});

test('a name that is too long is told', async () => {
  const file = path.join(temporaryFolder(), 'x'.repeat(5000));
  expect(await readTextFile(file, 10)).toEqual({ kind: 'unreadable', reason: 'has a name that is too long' });
});

test('a file that may not be read is told', async () => {
  const folder = temporaryFolder({ secret: 'x' });
  const file = path.join(folder, 'secret');
  fs.chmodSync(file, 0);
  const reading = await asNobody(folder, () => readTextFile(file, 10));
  expect(reading).toEqual({ kind: 'unreadable', reason: 'may not be read by this user' });
});

/** Root may read everything, so root becomes somebody else for a moment. */
async function asNobody<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  fs.chmodSync(folder, 0o755);
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
