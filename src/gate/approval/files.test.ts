import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { question, unaborted } from '../../../test/support/gate/question.ts';
import { systemClock } from '../../base/clock.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { Approval } from './approver.ts';
import { fileApprover, type FileExchangeOptions } from './approvers.ts';

async function exchange(more: Partial<FileExchangeOptions> = {}, signal = unaborted) {
  const clock = fakeClock();
  const folder = path.join(temporaryFolder(), 'approvals');
  const approver = fileApprover({ folder, clock, ...more });
  const answer = approver.ask(question({ id: 'abc-1' }), signal);
  const settled = answer.then(
    (approval: Approval) => ({ approval }),
    (error: unknown) => ({ error: String(error) }),
  );
  const request = path.join(folder, 'requests', 'abc-1.json');
  const response = path.join(folder, 'responses', 'abc-1.json');
  const left = () => ['requests', 'responses'].flatMap((name) => fs.readdirSync(path.join(folder, name)));
  await expect.poll(() => fs.existsSync(request)).toBe(true);
  return { clock, settled, request, response, left };
}

test('the question is a file, and so is the answer; both are gone afterwards', async () => {
  const { settled, request, response, left } = await exchange();
  expect(fs.statSync(request).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.dirname(request)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(fs.readFileSync(request, 'utf8'))).toEqual({ version: 1, ...question({ id: 'abc-1' }) });
  fs.writeFileSync(`${response}.tmp`, '{"id":"abc-1","decision":"allow","scope":"turn"}');
  fs.renameSync(`${response}.tmp`, response);
  expect(await settled).toEqual({ approval: { kind: 'allow', scope: 'turn', by: 'file' } });
  expect(left()).toEqual([]);
});

test('an answer that is written piece by piece is waited for', async () => {
  const { settled, response, clock } = await exchange();
  fs.writeFileSync(response, '{"id":"abc-1",');
  clock.advance(1000);
  fs.appendFileSync(response, '"decision":"deny","comment":"no"}');
  clock.advance(1000);
  expect(await settled).toEqual({ approval: { kind: 'deny', scope: 'once', by: 'file', comment: 'no' } });
});

test.each<[string, (response: string) => void, RegExp]>([
  ['text', (file) => fs.writeFileSync(file, 'allow'), /not JSON/],
  [
    'another id',
    (file) => fs.writeFileSync(file, '{"id":"abc-2","decision":"allow"}'),
    /does not name the id/,
  ],
  ['no id', (file) => fs.writeFileSync(file, '{"decision":"allow"}'), /does not name the id/],
  ['no decision', (file) => fs.writeFileSync(file, '{"id":"abc-1"}'), /"decision" has to be/],
  ['a link', (file) => fs.symlinkSync('/etc/passwd', file), /is a link/],
  ['a pipe', namedPipe(), /not a regular file/],
  ['a folder', (file) => fs.mkdirSync(file), /not a regular file/],
  [
    'too much',
    (file) => fs.writeFileSync(file, `{"id":"abc-1","decision":"allow"}${' '.repeat(70_000)}`),
    /more than 65536/,
  ],
])('%s is not an answer', async (_, write, message) => {
  const { settled, response, left } = await exchange({ clock: systemClock, pollMs: 5 });
  write(response);
  expect(await settled).toEqual({ error: expect.stringMatching(message) as string });
  expect(left()).toEqual([]);
});

test('it ends with its limit and with the signal, and leaves nothing', async () => {
  const late = await exchange();
  late.clock.advance(30_000);
  expect(await late.settled).toEqual({ error: 'Error: no answer came in time' });
  expect([late.left(), late.clock.waiting]).toEqual([[], 0]);
  const controller = new AbortController();
  const withdrawn = await exchange({}, controller.signal);
  controller.abort();
  expect(await withdrawn.settled).toEqual({ error: 'Error: the question was withdrawn' });
  expect([withdrawn.left(), withdrawn.clock.waiting]).toEqual([[], 0]);
});

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'that others can write',
    (folder) => (fs.mkdirSync(folder), fs.chmodSync(folder, 0o777)),
    /others may write to/,
  ],
  [
    'whose responses others can write',
    (folder) => (
      fs.mkdirSync(path.join(folder, 'responses'), { recursive: true }),
      fs.chmodSync(path.join(folder, 'responses'), 0o770)
    ),
    /others may write to .*responses/,
  ],
  ['that is a link', (folder) => fs.symlinkSync('/tmp', folder), /is a link or a file/],
  [
    'whose requests are a link',
    (folder) => (
      fs.mkdirSync(folder, { mode: 0o700 }),
      fs.symlinkSync('/tmp', path.join(folder, 'requests'))
    ),
    /requests is a link or a file/,
  ],
  [
    'where the answer is before the question',
    (folder) => (
      fs.mkdirSync(path.join(folder, 'responses'), { recursive: true, mode: 0o700 }),
      fs.writeFileSync(path.join(folder, 'responses/abc-1.json'), '{}')
    ),
    /the answer existed before/,
  ],
])('a folder %s is refused', async (_, make, message) => {
  const folder = path.join(temporaryFolder(), 'approvals');
  make(folder);
  await expect(fileApprover({ folder }).ask(question({ id: 'abc-1' }), unaborted)).rejects.toThrow(message);
});

test('an id that is not a file name is refused', async () => {
  const folder = temporaryFolder();
  await expect(fileApprover({ folder }).ask(question({ id: '../x' }), unaborted)).rejects.toThrow(
    'not a valid file name',
  );
});
