import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { guardDescriptor } from './serve.ts';

const { write, writeSync: original, writev, writevSync } = fs;
let file: string;
let fd: number;
let printed: string;

beforeEach(() => {
  file = path.join(temporaryFolder(), 'wire');
  fd = fs.openSync(file, 'w');
  printed = '';
  guardDescriptor(fd, (bytes) => (printed += Buffer.from(bytes).toString()));
});

afterEach(() => {
  Object.assign(fs, { write, writeSync: original, writev, writevSync });
  syncBuiltinESMExports();
  fs.closeSync(fd);
});

test('every form of writing is printed, and reaches the descriptor not at all', async () => {
  expect(fs.writeSync(fd, 'text ')).toBe(5);
  expect(writeSync(fd, 'imported ')).toBe(9);
  expect(fs.writeSync(fd, '6279746573', null, 'hex')).toBe(5);
  expect(fs.writeSync(fd, Buffer.from('-part-'), 1, 4)).toBe(4);
  // The types of this Node version leave this form out.
  const byOptions = [fd, Buffer.from('-by options-'), { offset: 1, length: 10 }];
  expect(Reflect.apply(fs.writeSync, fs, byOptions)).toBe(10);
  expect(fs.writevSync(fd, [Buffer.from(' se'), Buffer.from('veral ')])).toBe(9);
  await new Promise<void>((resolve) => {
    fs.write(fd, 'later ', (error, count, data) => {
      expect([error, count, data]).toEqual([null, 6, 'later ']);
      resolve();
    });
  });
  const stream = fs.createWriteStream('', { fd, autoClose: false });
  stream.cork();
  stream.write('a ');
  stream.write('stream');
  await new Promise<void>((resolve) => stream.end(resolve));
  expect(printed).toBe('text imported bytespartby options several later a stream');
  expect(fs.readFileSync(file, 'utf8')).toBe('');
});

test('what makes no sense is refused as ever', () => {
  expect(() => fs.writeSync(fd, JSON.parse('{}') as string)).toThrow(
    '"buffer" argument must be of type string',
  );
  expect(printed).toBe('');
});

test('other descriptors are as they were', () => {
  const other = path.join(path.dirname(file), 'other');
  const otherFd = fs.openSync(other, 'w');
  expect(fs.writeSync(otherFd, 'kept')).toBe(4);
  fs.closeSync(otherFd);
  expect(fs.readFileSync(other, 'utf8')).toBe('kept');
  expect(printed).toBe('');
});
