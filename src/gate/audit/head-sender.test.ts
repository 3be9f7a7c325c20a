import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { auditPlace, decided, recordsIn, written } from '../../../test/support/gate/audit-log.ts';
import { link, namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createHeadSender, type HeadTarget } from './head-sender.ts';
import { openAudit } from './open-audit.ts';
import { verifyAudit } from './verify-audit.ts';

interface Received {
  readonly authorization: string | undefined;
  readonly body: {
    readonly folder: string;
    readonly log: string;
    readonly seq: number;
    readonly hash: string;
  };
}

async function webhook(): Promise<{ url: string; received: Received[]; status: number }> {
  const received: Received[] = [];
  const state = { url: '', received, status: 200 };
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { authorization } = request.headers;
      received.push({ authorization, body: JSON.parse(body) as Received['body'] });
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port.
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads?key=hidden`;
  return state;
}

const linesOf = (file: string) =>
  fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Received['body']);

const otherDisk = () => path.join(temporaryFolder(), 'heads.jsonl');

test('the head goes to a file and to a webhook, and the log is compared with the file', async () => {
  const file = otherDisk();
  const { url, received } = await webhook();
  const place = await written([decided('1'), decided('2')], { sendHead: { file, url, token: 'secret-1' } });
  const { folder } = place;
  const log = place.log();
  expect(linesOf(file).at(-1)).toMatchObject({ folder, log, seq: 2 });
  expect(received.at(-1)).toMatchObject({ authorization: 'Bearer secret-1', body: { folder, log, seq: 2 } });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(await verifyAudit(folder, { sentHeads: file })).toMatchObject({ ok: true, lines: 2, notSent: 0 });
  await written([decided('3')], {}, place);
  expect(await verifyAudit(folder, { sentHeads: file })).toMatchObject({ ok: true, lines: 3, notSent: 1 });
});

test('an older state of everything that is here is found by the file', async () => {
  const file = otherDisk();
  const place = await written([decided('1')], { sendHead: { file } });
  const { folder, index } = place;
  const home = path.dirname(folder);
  const before = temporaryFolder();
  fs.cpSync(home, before, { recursive: true });
  await written([decided('2')], { sendHead: { file } }, place);
  fs.rmSync(home, { recursive: true });
  fs.cpSync(before, home, { recursive: true });
  expect(await verifyAudit(folder)).toMatchObject({ ok: true });
  const problemsOf = async () =>
    (await verifyAudit(folder, { sentHeads: file })).problems.map(({ problem }) => problem);
  expect(await problemsOf()).toEqual([
    `${file} knows 2 lines, 1 are there: the log was rolled back, or its end removed.`,
  ]);
  // Another line in its place.
  await written([decided('other')], {}, place);
  expect(await verifyAudit(folder)).toMatchObject({ ok: true });
  expect(await problemsOf()).toEqual([`Line 2 is not the one that ${file} knows.`]);
  // Nothing is left of it.
  for (const one of [folder, index]) fs.rmSync(one, { recursive: true });
  expect(await problemsOf()).toContain(
    `${file} knows 2 lines, 0 are there: the log was rolled back, or its end removed.`,
  );
});

test('heads of other folders and half lines in the file do no harm; a file that is gone is a problem', async () => {
  const file = otherDisk();
  await written([decided('1')], { sendHead: { file } });
  fs.appendFileSync(file, '{"at":"2026-11-17T08:00:00.000Z","fol');
  const { folder } = await written([decided('1'), decided('2')], { sendHead: { file } });
  expect(await verifyAudit(folder, { sentHeads: file })).toMatchObject({ ok: true, notSent: 0 });
  fs.rmSync(file);
  expect(await verifyAudit(folder, { sentHeads: file })).toMatchObject({
    ok: false,
    problems: [{ file, problem: expect.stringContaining('cannot be compared: ENOENT') as string }],
  });
});

test('lines in the file that are not heads are reported, and so is a file without any', async () => {
  const file = otherDisk();
  const { folder } = await written([decided('1')], { sendHead: { file } });
  const heads = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, `${heads}junk\n${heads}`);
  expect((await verifyAudit(folder, { sentHeads: file })).problems).toEqual([
    { file, line: heads.split('\n').length, problem: 'The line is not a head that was sent.' },
  ]);
  fs.writeFileSync(file, '');
  expect((await verifyAudit(folder, { sentHeads: file })).problems).toEqual([
    { file, problem: `It has no head of a log in ${folder}.` },
  ]);
});

test('a file that would block is refused at once', async () => {
  const folder = temporaryFolder({ pipe: namedPipe(), link: link('pipe'), folder: {} });
  for (const name of ['pipe', 'link']) {
    const reports: string[] = [];
    const file = path.join(folder, name);
    await written([decided('1')], { sendHead: { file }, report: (message) => void reports.push(message) });
    expect(reports).toEqual([
      `The head of the audit log could not be sent: ${file} is not a regular file. The log goes on, and it is tried again.`,
    ]);
  }
});

test('many writes send few heads, the newest each time', async () => {
  const clock = fakeClock();
  const { url, received } = await webhook();
  const { folder } = auditPlace();
  const audit = openAudit({ folder, sendHead: { url, clock } });
  await audit.write(decided('1'));
  await expect.poll(() => received.length).toBe(1);
  for (let n = 2; n <= 20; n++) await audit.write(decided(`${n}`));
  expect(received).toHaveLength(1);
  await audit.close();
  expect(received.map(({ body }) => body.seq)).toEqual([1, 20]);
});

test('while heads cannot be sent, calls go on: it is said once, noted in the log, and tried again', async () => {
  const clock = fakeClock();
  const service = await webhook();
  service.status = 503;
  const { folder } = auditPlace();
  const reported: string[] = [];
  const sendHead: HeadTarget = { url: service.url, token: 'secret-1', clock };
  const audit = openAudit({ folder, sendHead, report: (message) => void reported.push(message) });
  await audit.write(decided('1'));
  await expect.poll(() => reported).toHaveLength(1);
  expect(reported[0]).toMatch(
    /could not be sent: the webhook http:\/\/127\.0\.0\.1:\d+ answered with status 503/,
  );
  await audit.write(decided('2'));
  const afterAWhile = () => {
    clock.advance(4000);
    return service.received;
  };
  await expect.poll(() => afterAWhile().length, { interval: 5 }).toBeGreaterThan(2);
  service.status = 200;
  await expect.poll(() => afterAWhile().at(-1)?.body.seq, { interval: 5 }).toBe(3);
  await audit.close();
  expect(reported).toHaveLength(1);
  expect(reported.join()).not.toMatch(/secret-1|hidden/);
  expect((await recordsIn(folder)).map(({ event }) => event)).toMatchObject([
    { id: '1' },
    { what: 'head-not-sent', data: { reason: expect.stringContaining('status 503') as string } },
    { id: '2' },
  ]);
});

test('an offer with nothing to send does not keep later heads from being sent', async () => {
  const file = otherDisk();
  const sender = createHeadSender({ file }, '/audit', () => {});
  const end = { log: 'a', seq: 1, hash: 'x' };
  sender.offer(undefined);
  sender.offer({ ...end, seq: 0 });
  await sender.send(end);
  sender.offer(end);
  sender.offer({ ...end, seq: 2 });
  await expect.poll(() => linesOf(file).map(({ seq }) => seq)).toEqual([1, 2]);
  await sender.close(undefined);
});

test('what could not be sent when the log is closed is said', async () => {
  const reported: string[] = [];
  const sendHead = { file: path.join(temporaryFolder(), 'not-mounted/heads.jsonl') };
  const { folder } = auditPlace();
  const audit = openAudit({ folder, sendHead, report: (message) => void reported.push(message) });
  await audit.write(decided('1'));
  await audit.close();
  expect(reported).toEqual([expect.stringContaining('ENOENT')]);
  expect(await verifyAudit(folder)).toMatchObject({ ok: true });
});

test('where it is required, a call waits until the head with its line was taken', async () => {
  const service = await webhook();
  const { folder } = auditPlace();
  const audit = openAudit({ folder, sendHead: { url: service.url, required: true } });
  await audit.write(decided('1'));
  expect(service.received.map(({ body }) => body.seq)).toEqual([1]);
  await Promise.all([audit.write(decided('2')), audit.write(decided('3'))]);
  expect(service.received.map(({ body }) => body.seq)).toEqual([1, 3]);
  service.status = 500;
  await expect(audit.write(decided('4'))).rejects.toMatchObject({
    code: 'AUDIT_FAILED',
    message: expect.stringMatching(/as gate.audit.sendHead requires: .*status 500/) as string,
  });
  service.status = 200;
  await audit.write(decided('5'));
  await audit.close();
  // The line was written before it was known that its head is not taken; the call was not made.
  expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 5, torn: [] });
});

test.each(['http://example.org/', 'nowhere', 'https://user:hidden@example.org/'])(
  'nothing is sent to %s',
  async (url) => {
    const { folder } = auditPlace();
    const audit = openAudit({
      folder,
      sendHead: { url, required: true, fetch: () => Promise.reject(new Error('sent')) },
    });
    const error = await audit.write(decided('1')).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('the webhook cannot be used');
    expect(String(error)).not.toContain('hidden');
    await audit.close();
  },
);
