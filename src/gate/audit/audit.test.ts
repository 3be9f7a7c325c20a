import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { createSecrets } from '../../base/secrets.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { AuditEvent } from './audit.ts';
import { openAudit, type AuditOptions } from './open-audit.ts';
import { readAudit, type AuditFilter, type AuditRecord } from './read-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const decided = (id: string, more: Partial<Extract<AuditEvent, { kind: 'decided' }>> = {}): AuditEvent => ({
  kind: 'decided',
  id,
  what: 'tool',
  name: 'cli_based_tool',
  plugin: 'cli',
  caller: { kind: 'model' },
  args: { command: 'git status' },
  allowed: true,
  method: 'whitelist',
  reason: 'git * is allowed',
  ...more,
});
const ended = (id: string): AuditEvent => ({ kind: 'ended', id, ok: true, durationMs: 3, bytes: 20 });

async function written(
  events: readonly AuditEvent[],
  options: Partial<AuditOptions> = {},
  folder = temporaryFolder(),
): Promise<string> {
  const audit = await openAudit({ folder, ...options });
  for (const event of events) await audit.write(event);
  await audit.close();
  return folder;
}

const first = (folder: string) => path.join(folder, 'audit-000001.jsonl');
const headOf = (folder: string) => path.join(folder, 'audit.head');

async function expectProblem(folder: string, problem: string): Promise<void> {
  const verdict = await verifyAudit(folder);
  expect(verdict.ok ? '' : verdict.problem).toContain(problem);
}

async function all(folder: string, filter?: AuditFilter): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of readAudit(folder, filter)) records.push(record);
  return records;
}

describe('writing', () => {
  test('gives lines that are chained, and files that are nobody else’s', async () => {
    const folder = await written([decided('1'), ended('1')], { now: () => new Date(0) });
    const lines = fs
      .readFileSync(first(folder), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; at: string; prev: string; hash: string });
    expect(lines.map(({ seq, at }) => [seq, at])).toEqual([
      [1, '1970-01-01T00:00:00.000Z'],
      [2, '1970-01-01T00:00:00.000Z'],
    ]);
    expect(lines[0]?.prev).toBe('0'.repeat(64));
    expect(lines[1]?.prev).toBe(lines[0]?.hash);
    for (const name of fs.readdirSync(folder))
      expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(folder).toSorted()).toEqual(['audit-000001.jsonl', 'audit.head', 'audit.key']);
  });

  test('keeps the order of many at once, and merges them', async () => {
    const folder = temporaryFolder();
    const audit = await openAudit({ folder });
    await Promise.all(Array.from({ length: 500 }, (_, index) => audit.write(decided(`${index}`))));
    await audit.close();
    const ids = (await all(folder)).map(({ event }) => event.kind === 'decided' && event.id);
    expect(ids).toEqual(Array.from({ length: 500 }, (_, index) => `${index}`));
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 500, isEndChecked: true });
  });

  test('by two at once makes one chain', async () => {
    const folder = temporaryFolder();
    const both = await Promise.all([openAudit({ folder }), openAudit({ folder })]);
    await Promise.all(
      both.flatMap((audit, who) => Array.from({ length: 50 }, (_, n) => audit.write(decided(`${who}-${n}`)))),
    );
    await Promise.all(both.map((audit) => audit.close()));
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 100 });
  });

  test('without a pause leaves room for another, and no lock', async () => {
    const folder = temporaryFolder();
    const [busy, other] = [await openAudit({ folder }), await openAudit({ folder })];
    let isWritten = false;
    const late = other.write(decided('other')).then(() => (isWritten = true));
    while (!isWritten) await busy.write(decided('busy'));
    await late;
    await Promise.all([busy.close(), other.close()]);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true });
    expect(fs.existsSync(path.join(folder, 'audit.lock'))).toBe(false);
  });

  test('goes on in the next file when one is full, and the chain with it', async () => {
    const events = Array.from({ length: 20 }, (_, index) => decided(`${index}`));
    const folder = await written(events, { rotateBytes: 2000 });
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    expect(files.length).toBeGreaterThan(3);
    for (const name of files) expect(fs.statSync(path.join(folder, name)).size).toBeLessThanOrEqual(2000);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 20, files: files.length });
    fs.rmSync(path.join(folder, files[1] ?? ''));
    expect(await verifyAudit(folder)).toMatchObject({ ok: false, problem: 'The file is missing.' });
  });

  test('goes on after it was opened again', async () => {
    const folder = await written([decided('1')]);
    await written([decided('2')], {}, folder);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 2, torn: [] });
  });

  test('can wait for the disk: what announces lines is there before them', async () => {
    const audit = await openAudit({ folder: temporaryFolder(), sync: true });
    const deeds: string[] = [];
    const { writeSync, fdatasyncSync } = fs;
    try {
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        const [, written] = args;
        if (typeof written !== 'string') deeds.push('lines');
        else if (written.startsWith('{')) deeds.push('head');
        return writeSync(...args);
      }) as typeof writeSync;
      fs.fdatasyncSync = (descriptor) => {
        deeds.push('waited');
        fdatasyncSync(descriptor);
      };
      await audit.write(decided('1'));
    } finally {
      Object.assign(fs, { writeSync, fdatasyncSync });
    }
    await audit.close();
    expect(deeds).toEqual(['head', 'waited', 'lines', 'waited']);
  });

  test('is refused when closed, and where nothing can be written', async () => {
    const folder = temporaryFolder({ file: 'x' });
    const audit = await openAudit({ folder: path.join(folder, 'audit') });
    await audit.close();
    await expect(audit.write(decided('1'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    await expect(openAudit({ folder: path.join(folder, 'file') })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
    });
  });

  test('has no secret and nothing without bounds in it', async () => {
    const args = {
      password: 'hidden-1',
      command: 'curl -H "Authorization: Bearer hidden-2-abcdefgh" https://u:hidden-3@host',
      huge: 'x'.repeat(1_000_000),
      exact: 'before hidden-4 after',
      deep: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as [],
      many: Array.from({ length: 100_000 }, (_, index) => index),
    };
    const folder = await written([decided('1', { args })], { secrets: createSecrets(['hidden-4']) });
    const text = fs.readFileSync(first(folder), 'utf8');
    expect(text).not.toContain('hidden');
    expect(text).toContain('(1000000 characters, sha256 ');
    expect(text.length).toBeLessThan(10_000);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true });
  });
});

describe('a log that was changed', () => {
  test('is found, whatever byte is changed, put in or taken away, anywhere', async () => {
    const folder = await written([
      decided('1', { args: { x: 'ä' } }),
      ended('1'),
      decided('2', { args: {} }),
    ]);
    const file = first(folder);
    const bytes = fs.readFileSync(file);
    const isFound = async (changed: Buffer): Promise<boolean> => {
      fs.writeFileSync(file, changed);
      return !(await verifyAudit(folder)).ok;
    };
    const missed: string[] = [];
    // What moves all that follows is tried here and there, but for the ends of lines.
    const every = runs(1, 13);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      if (!(await isFound(flipped))) missed.push(`changed ${at}`);
      if (at % every > 0 && bytes[at] !== 10 && bytes[at - 1] !== 10) continue;
      if (!(await isFound(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]))))
        missed.push(`taken ${at}`);
      const extra = Buffer.from([[10, 32, 65, 0][at % 4] ?? 0]);
      if (!(await isFound(Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at)]))))
        missed.push(`put in ${at}`);
      if (!(await isFound(bytes.subarray(0, at)))) missed.push(`cut off ${at}`);
    }
    if (!(await isFound(Buffer.concat([bytes, Buffer.from('\n')])))) missed.push('put in at the end');
    expect(missed).toEqual([]);
    fs.writeFileSync(file, bytes);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 3 });
  }, 300_000);

  test('is found in its head and its key too', async () => {
    const folder = await written([decided('1')]);
    const isMissed = async (name: string, at: number): Promise<string[]> => {
      const copy = temporaryFolder();
      fs.cpSync(folder, copy, { recursive: true });
      const changed = fs.readFileSync(path.join(copy, name));
      changed[at] = (changed[at] ?? 0) ^ 1;
      fs.writeFileSync(path.join(copy, name), changed);
      return (await verifyAudit(copy)).ok ? [`${name} ${at}`] : [];
    };
    const trials = ['audit.head', 'audit.key'].flatMap((name) => {
      const { size } = fs.statSync(path.join(folder, name));
      // The line feed at the end of the key says nothing.
      const bytes = Array.from({ length: name === 'audit.key' ? size - 1 : size }, (_, at) => at);
      return bytes.filter((at) => at % runs(1, 5) === 0).map((at) => () => isMissed(name, at));
    });
    // A head that looks wrong is looked at again for a while, so they wait together.
    const missed = await Promise.all(trials.map((trial) => trial()));
    expect(missed.flat()).toEqual([]);
    expect(trials.length).toBeGreaterThan(40);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true });
  });

  test('is found although all its hashes were made anew', async () => {
    const folder = await written([decided('1'), ended('1')]);
    const other = await written([decided('1', { allowed: false }), ended('1')]);
    fs.copyFileSync(first(other), first(folder));
    expect(await verifyAudit(first(folder))).toMatchObject({ ok: true, isEndChecked: false });
    await expectProblem(folder, 'last line');
    fs.copyFileSync(headOf(other), headOf(folder));
    await expectProblem(folder, 'sealed');
  });

  test.each([
    [
      'log',
      (folder: string) => fs.rmSync(first(folder)),
      'The end is missing: 2 lines were written, 0 are there.',
    ],
    ['head', (folder: string) => fs.rmSync(headOf(folder)), 'The head is gone'],
    ['key', (folder: string) => fs.rmSync(path.join(folder, 'audit.key')), 'The key is gone'],
    [
      'log and head',
      (folder: string) => {
        fs.rmSync(first(folder));
        fs.rmSync(headOf(folder));
      },
      'The head is gone',
    ],
  ])('is found when the %s is taken away, and not written to', async (_, take, problem) => {
    const folder = await written([decided('1'), ended('1')]);
    take(folder);
    await expectProblem(folder, problem);
    await expect(openAudit({ folder })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  });

  test('is not written to by one that has it open', async () => {
    const folder = temporaryFolder();
    const audit = await openAudit({ folder });
    await audit.write(decided('1'));
    fs.appendFileSync(first(folder), 'x\n');
    await expect(audit.write(decided('2'))).rejects.toThrow('somebody else has written to it');
    await audit.close();
  });

  test('is not written to without its key, also by one that knew it', async () => {
    const folder = temporaryFolder();
    const audit = await openAudit({ folder });
    await audit.write(decided('1'));
    await lockIsFree(folder);
    fs.renameSync(path.join(folder, 'audit.key'), path.join(folder, 'elsewhere'));
    await expect(audit.write(decided('2'))).rejects.toThrow('is gone or unreadable');
    fs.renameSync(path.join(folder, 'elsewhere'), path.join(folder, 'audit.key'));
    await audit.write(decided('3'));
    await audit.close();
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 2 });
  });

  test('may be moved away: one that has it open begins a new one, or goes on with what others began', async () => {
    const folder = path.join(temporaryFolder(), 'audit');
    const audit = await openAudit({ folder });
    await audit.write(decided('1'));
    await lockIsFree(folder);
    fs.renameSync(folder, `${folder}-1`);
    await audit.write(decided('2'));
    await lockIsFree(folder);
    fs.renameSync(folder, `${folder}-2`);
    await written([decided('3')], {}, folder);
    await audit.write(decided('4'));
    await audit.close();
    const lines = [`${folder}-1`, `${folder}-2`, folder].map(
      async (moved) => (await verifyAudit(moved)).lines,
    );
    expect(await Promise.all(lines)).toEqual([1, 1, 2]);
  });

  test('that is moved away in the middle of a burst has the rest of it that was under way', async () => {
    const folder = path.join(temporaryFolder(), 'audit');
    const audit = await openAudit({ folder });
    await audit.write(decided('0'));
    fs.renameSync(folder, `${folder}-1`);
    let count = 1;
    do await audit.write(decided(String(count++)));
    while (!fs.existsSync(first(folder)));
    await audit.close();
    const verdicts = await Promise.all([verifyAudit(`${folder}-1`), verifyAudit(folder)]);
    expect(verdicts).toMatchObject([{ ok: true }, { ok: true }]);
    expect(verdicts.reduce((sum, { lines }) => sum + lines, 0)).toBe(count);
  });

  test('that was moved away in the middle of a burst does not go on in the folder that took its place', async () => {
    const folder = path.join(temporaryFolder(), 'audit');
    const audit = await openAudit({ folder, rotateBytes: 500 });
    await audit.write(decided('1'));
    fs.renameSync(folder, `${folder}-1`);
    fs.mkdirSync(folder);
    const tries = await Promise.allSettled([audit.write(decided('2')), audit.write(decided('3'))]);
    await lockIsFree(folder);
    await audit.write(decided('4'));
    await audit.close();
    const told = tries.filter(({ status }) => status === 'fulfilled').length;
    const verdicts = await Promise.all([verifyAudit(`${folder}-1`), verifyAudit(folder)]);
    expect(verdicts).toMatchObject([{ ok: true }, { ok: true }]);
    expect(verdicts.reduce((sum, { lines }) => sum + lines, 0)).toBe(2 + told);
  });

  /** It is kept for a moment, in case that more is to be written. */
  async function lockIsFree(folder: string): Promise<void> {
    await expect.poll(() => fs.existsSync(path.join(folder, 'audit.lock')), { interval: 2 }).toBe(false);
  }

  test('is told with its line, and with how much is good before it', async () => {
    const folder = await written([decided('1'), decided('2'), decided('3')]);
    fs.writeFileSync(first(folder), fs.readFileSync(first(folder), 'utf8').replace('"id":"2"', '"id":"9"'));
    expect(await verifyAudit(folder)).toEqual({
      ok: false,
      lines: 1,
      file: first(folder),
      line: 2,
      problem: 'The line was changed: its hash does not fit its content.',
    });
  });

  test('may be anything at all', async () => {
    const folder = await written([decided('1')]);
    for (const bytes of [
      Buffer.alloc(3_000_000, 65),
      Buffer.alloc(100_000, 10),
      Buffer.from('{}\n'),
      Buffer.alloc(0),
    ]) {
      fs.writeFileSync(first(folder), bytes);
      expect(await verifyAudit(folder)).toMatchObject({ ok: false });
      expect(await all(folder)).toEqual([]);
    }
    expect(await verifyAudit(path.join(folder, 'nothing'))).toMatchObject({ ok: false });
    fs.rmSync(first(folder));
    fs.mkdirSync(first(folder));
    expect(await verifyAudit(folder)).toMatchObject({ ok: false });
  });
});

test('what was written is whole for others before the lock is given up', async () => {
  const folder = temporaryFolder();
  const audit = await openAudit({ folder });
  await audit.write(decided('1'));
  // As a process leaves it that is killed now.
  const copy = temporaryFolder();
  fs.cpSync(folder, copy, { recursive: true });
  expect(fs.existsSync(path.join(copy, 'audit.lock'))).toBe(true);
  expect(await verifyAudit(copy)).toMatchObject({ ok: true, lines: 1 });
  fs.rmSync(path.join(copy, 'audit.lock'));
  await written([decided('2')], {}, copy);
  expect(await verifyAudit(copy)).toMatchObject({ ok: true, lines: 2, torn: [] });
  await audit.close();
});

describe('a write that was cut by a crash', () => {
  /** As a process leaves it that is killed in the middle of its second write: the head announces what is not there. */
  async function cut(keep: (batch: Buffer) => Buffer): Promise<{ folder: string; lines: number }> {
    const folder = await written([decided('1')]);
    const before = fs.readFileSync(first(folder));
    const announced = await withAnnouncement(folder);
    const batch = fs.readFileSync(first(folder)).subarray(before.length);
    const kept = keep(batch);
    fs.writeFileSync(first(folder), Buffer.concat([before, kept]));
    fs.writeFileSync(headOf(folder), announced);
    return { folder, lines: 1 + kept.toString().split('\n').length - 1 };
  }

  /** Writes two lines at once, and gives the head as it was while they were written. */
  async function withAnnouncement(folder: string): Promise<string> {
    const audit = await openAudit({ folder });
    let announced = '';
    const { writeSync } = fs;
    try {
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        const text = fs.readFileSync(headOf(folder), 'utf8');
        if (text.includes('"next"')) announced = text;
        return writeSync(...args);
      }) as typeof writeSync;
      // The first goes alone, the others together.
      await audit.write(decided('2'));
      await Promise.all([decided('3'), ended('3')].map((event) => audit.write(event)));
    } finally {
      fs.writeSync = writeSync;
    }
    await audit.close();
    return announced;
  }

  test('is known as one, told, and the log goes on', async () => {
    for (const length of [0, 1, 300, 500]) {
      // Two of the lines are in the last batch; the one before them was complete.
      const { folder } = await cut((batch) => {
        const end = batch.indexOf(10) + 1;
        return batch.subarray(0, end + length);
      });
      const verdict = await verifyAudit(folder);
      expect(verdict, `${length}`).toMatchObject({ ok: true });
      expect(verdict).toHaveProperty('unfinished');
      const told: string[] = [];
      await written([decided('4')], { report: (message) => void told.push(message) }, folder);
      expect(told).toEqual([expect.stringContaining('was cut by a crash')]);
      const after = await verifyAudit(folder);
      expect(after).toMatchObject({ ok: true, torn: [{ file: first(folder) }] });
      expect(after).not.toHaveProperty('unfinished');
      const events = (await all(folder)).map(({ event }) => (event.kind === 'noted' ? event.what : event.id));
      expect(events.at(0)).toBe('1');
      expect(events.slice(-2)).toEqual(['torn', '4']);
    }
  });

  test('that came to its end is no cut', async () => {
    const { folder } = await cut((batch) => batch);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, torn: [], lines: 4 });
    await written([decided('4')], {}, folder);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, torn: [], lines: 5 });
  });

  test('hides no change of a complete line, and none of what was written before', async () => {
    const changed = await cut((batch) => Buffer.from(batch.toString().replace('"id":"3"', '"id":"9"')));
    expect(await verifyAudit(changed.folder)).toMatchObject({ ok: false });
    await expect(openAudit({ folder: changed.folder })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });

    const shorter = await cut((batch) => batch.subarray(0, batch.indexOf(10) - 20));
    expect(await verifyAudit(shorter.folder)).toMatchObject({ ok: false });
    await expect(openAudit({ folder: shorter.folder })).rejects.toThrow('taken away');

    const longer = await cut((batch) => Buffer.concat([batch, Buffer.from('more')]));
    expect(await verifyAudit(longer.folder)).toMatchObject({ ok: false });
    await expect(openAudit({ folder: longer.folder })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  });

  test('leaves a lock that nobody waits for', async () => {
    const { folder, lock, content } = await withLock();
    // No process has this number.
    fs.writeFileSync(lock, content.replace(/^\d+/, '4194305'));
    await written([decided('2')], {}, folder);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 2 });
    expect(fs.existsSync(lock)).toBe(false);
  });

  test('may be one of another container, whose numbers say nothing here: its lock is left alone until it is old', async () => {
    const { folder, lock, content } = await withLock();
    const theirs = content.replace(/^\d+/, '4194305').replace(/ \S+$/, ' elsewhere/pid:[1]');
    fs.writeFileSync(lock, theirs);
    let isWritten = false;
    const writing = written([decided('2')], {}, folder).then(() => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([isWritten, fs.readFileSync(lock, 'utf8')]).toEqual([false, theirs]);
    const longAgo = Date.now() / 1000 - 11;
    fs.utimesSync(lock, longAgo, longAgo);
    await writing;
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 2 });
  });

  /** A log with one line, and what stands in the lock while it is written. */
  async function withLock() {
    const folder = temporaryFolder();
    const lock = path.join(folder, 'audit.lock');
    const audit = await openAudit({ folder });
    await audit.write(decided('1'));
    const content = fs.readFileSync(lock, 'utf8');
    await audit.close();
    return { folder, lock, content };
  }
});

describe('reading', () => {
  const events: AuditEvent[] = [
    { kind: 'noted', what: 'started' },
    decided('1'),
    decided('2', { name: 'web_search', plugin: 'web_search', caller: { kind: 'client', name: 'cursor' } }),
    ended('2'),
    ended('1'),
    decided('3', { allowed: false, method: 'blacklist' }),
  ];
  test.each<[AuditFilter, string[]]>([
    [{}, ['started', '1', '2', '2', '1', '3']],
    [{ tool: 'cli_based_tool' }, ['1', '1', '3']],
    [{ plugin: 'web_search' }, ['2', '2']],
    [{ caller: 'cursor' }, ['2', '2']],
    [{ caller: 'model' }, ['1', '1', '3']],
    [{ deniedOnly: true }, ['3']],
    [{ last: 2 }, ['1', '3']],
    [{ last: 0 }, []],
    [{ last: 2, tool: 'cli_based_tool' }, ['1', '3']],
    [{ since: new Date(3) }, ['2', '1', '3']],
  ])('%j gives %j', async (filter, expected) => {
    let time = 0;
    const folder = await written(events, { now: () => new Date(time++), rotateBytes: 1000 });
    const got = (await all(folder, filter)).map(({ event }) =>
      event.kind === 'noted' ? event.what : event.id,
    );
    expect(got).toEqual(expected);
  });

  test('of a folder without a log gives nothing', async () => {
    expect(await all(path.join(temporaryFolder(), 'nothing'))).toEqual([]);
  });
});
