import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditPlace, decided, ended, recordsIn, written } from '../../../test/support/gate/audit-log.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import { namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { AuditEvent } from './audit.ts';
import { openAudit } from './open-audit.ts';
import { readAudit, type AuditFilter } from './read-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const idOf = (event: AuditEvent) => (event.kind === 'noted' ? event.what : event.id);
const idsIn = async (folder: string, filter?: AuditFilter) =>
  (await recordsIn(folder, filter)).map(({ event }) => idOf(event));

describe('writing', () => {
  test('makes lines that are chained, in files that only their owner can read', async () => {
    const place = await written([decided('1'), ended('1')], { now: () => new Date(0) });
    const lines = fs
      .readFileSync(place.file(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; at: string; prev: string; hash: string });
    expect(lines.map(({ seq, at }) => [seq, at])).toEqual([
      [1, '1970-01-01T00:00:00.000Z'],
      [2, '1970-01-01T00:00:00.000Z'],
    ]);
    expect(lines[0]?.prev).toBe('0'.repeat(64));
    expect(lines[1]?.prev).toBe(lines[0]?.hash);
    const log = place.log();
    expect(fs.readdirSync(place.folder)).toEqual([`${log}-000001.jsonl`]);
    expect(fs.readdirSync(place.index).toSorted()).toEqual([
      `${log}.free`,
      `${log}.head`,
      'audit.key',
      'audit.logs',
    ]);
    for (const folder of [place.folder, place.index]) {
      expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
      for (const name of fs.readdirSync(folder))
        expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('touches no file before the first event', async () => {
    const { folder, index } = auditPlace();
    await openAudit({ folder }).close();
    expect([fs.existsSync(folder), fs.existsSync(index)]).toEqual([false, false]);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, files: 0 });
  });

  test('keeps the order of many at once, in one write', async () => {
    const { folder } = auditPlace();
    const audit = openAudit({ folder });
    await audit.write({ kind: 'noted', what: 'started' });
    const { writeSync } = fs;
    let writes = 0;
    try {
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        if (typeof args[1] !== 'string') writes += 1;
        return writeSync(...args);
      }) as typeof writeSync;
      await Promise.all(Array.from({ length: 500 }, (_, index) => audit.write(decided(`${index}`))));
    } finally {
      fs.writeSync = writeSync;
    }
    await audit.close();
    expect(writes).toBe(1);
    const written = Array.from({ length: 500 }, (_, index) => `${index}`);
    expect(await idsIn(folder)).toEqual(['started', ...written]);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 501, isEndChecked: true });
  });

  test('by several at once gives each a log of its own, and the next ones go on with those', async () => {
    const { folder } = auditPlace();
    for (const round of [1, 2]) {
      const all = [openAudit({ folder }), openAudit({ folder }), openAudit({ folder })];
      await Promise.all(
        all.flatMap((audit, who) =>
          Array.from({ length: 50 }, (_, n) => audit.write(decided(`${round}-${who}-${n}`))),
        ),
      );
      await Promise.all(all.map((audit) => audit.close()));
    }
    expect(fs.readdirSync(folder)).toHaveLength(3);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 300, files: 3 });
    expect(new Set(await idsIn(folder)).size).toBe(300);
  });

  test('goes on in the next file when one is full, and the chain with it', async () => {
    const events = Array.from({ length: 20 }, (_, index) => decided(`${index}`));
    const { folder } = await written(events, { rotateBytes: 2000 });
    const files = fs.readdirSync(folder);
    expect(files.length).toBeGreaterThan(3);
    for (const name of files) expect(fs.statSync(path.join(folder, name)).size).toBeLessThanOrEqual(2000);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 20, files: files.length });
    expect(await idsIn(folder)).toEqual(events.map(idOf));
    fs.rmSync(path.join(folder, files[1] ?? ''));
    expect(await verifyAudit(folder)).toMatchObject({ problems: [{ problem: 'The file is missing.' }] });
  });

  test('goes on after it was opened again', async () => {
    const place = await written([decided('1')]);
    await written([decided('2')], {}, place);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 2, files: 1, torn: [] });
  });

  test('can wait for the disk: what announces lines is there before them', async () => {
    const audit = openAudit({ folder: auditPlace().folder, sync: true });
    await audit.write(decided('0'));
    const deeds: string[] = [];
    const { writeSync, fdatasyncSync } = fs;
    try {
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        const [, written] = args;
        if (typeof written !== 'string') deeds.push('lines');
        else if (written.includes('"next"')) deeds.push('announced');
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
    expect(deeds).toEqual(['announced', 'waited', 'lines', 'waited']);
  });

  test.each([
    ['the first', []],
    ['the next', ['0']],
  ])('goes on after the folder of %s file could not be synced', async (_, before) => {
    const { folder } = auditPlace();
    const audit = openAudit({ folder, sync: true, rotateBytes: 500 });
    for (const id of before) await audit.write(decided(id));
    const { openSync, closeSync, fsyncSync } = fs;
    const open = new Set<number>();
    let failures = 0;
    try {
      fs.openSync = (...args: Parameters<typeof openSync>) => {
        const descriptor = openSync(...args);
        if (
          ((args[1] as number) & fs.constants.O_CREAT) !== 0 &&
          String(args[0]).startsWith(folder + path.sep)
        )
          open.add(descriptor);
        return descriptor;
      };
      fs.closeSync = (descriptor) => {
        open.delete(descriptor);
        closeSync(descriptor);
      };
      fs.fsyncSync = (descriptor) => {
        // Only once the log file exists: the index is synced before.
        if (open.size > 0) {
          failures += 1;
          throw new Error('EIO');
        }
        fsyncSync(descriptor);
      };
      await expect(audit.write(decided('1'))).rejects.toThrow('EIO');
    } finally {
      Object.assign(fs, { openSync, closeSync, fsyncSync });
    }
    expect([failures, open.size, fs.readdirSync(folder).length]).toEqual([1, 0, before.length]);
    await audit.write(decided('2'));
    await audit.close();
    expect(await idsIn(folder)).toEqual([...before, 'torn', '2']);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true });
  });

  test('is refused when closed, and where nothing can be written', async () => {
    const folder = temporaryFolder({ file: 'x' });
    const audit = openAudit({ folder: path.join(folder, 'audit') });
    await audit.close();
    await expect(audit.write(decided('1'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    const nowhere = openAudit({ folder: path.join(folder, 'file/audit') });
    await expect(nowhere.write(decided('1'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    await nowhere.close();
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
    const place = await written([decided('1', { args })], { secrets: createSecrets(['hidden-4']) });
    const text = fs.readFileSync(place.file(), 'utf8');
    expect(text).not.toContain('hidden');
    expect(text).toContain('(1000000 characters, sha256 ');
    expect(text.length).toBeLessThan(10_000);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true });
  });
});

describe('a disk that is full', () => {
  /** Every write of lines stops in the middle, and then fails. */
  async function withFullDisk(work: () => Promise<unknown>): Promise<void> {
    const { writeSync } = fs;
    try {
      fs.writeSync = ((descriptor: number, bytes: Buffer | string, at: number, length: number) => {
        if (typeof bytes === 'string') return writeSync(descriptor, bytes, at);
        if (at === 0) return writeSync(descriptor, bytes, 0, Math.ceil(length / 2));
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      }) as typeof writeSync;
      await work();
    } finally {
      fs.writeSync = writeSync;
    }
  }

  test.each([
    ['at the first line', []],
    ['later', [decided('0')]],
  ])('fails the calls whose lines are not there, %s, and says how many those were', async (_, before) => {
    const { folder } = auditPlace();
    const audit = openAudit({ folder });
    for (const event of before) await audit.write(event);
    await withFullDisk(async () => {
      await expect(audit.write(decided('1'))).rejects.toThrow('ENOSPC');
      expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: before.length });
      await expect(audit.write(decided('2'))).rejects.toThrow('Free some space');
    });
    await audit.write(decided('3'));
    await audit.close();
    expect(await idsIn(folder)).toEqual([...before.map(idOf), 'torn', '3']);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, torn: [{ lost: 2 }], unfinished: 0 });
  });

  test('in the middle of a change to the next file leaves that behind', async () => {
    const { folder } = auditPlace();
    const audit = openAudit({ folder, rotateBytes: 500 });
    await audit.write(decided('1'));
    await withFullDisk(() => expect(audit.write(decided('2'))).rejects.toThrow('ENOSPC'));
    expect(fs.readdirSync(folder)).toHaveLength(1);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 1 });
    await audit.write(decided('3'));
    await audit.close();
    expect(await idsIn(folder)).toEqual(['1', 'torn', '3']);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, files: 2 });
  });
});

describe('reading', () => {
  const events: AuditEvent[] = [
    { kind: 'noted', what: 'started' },
    decided('1'),
    decided('2', { name: 'web_search', plugin: 'web_search', caller: { kind: 'client', name: 'cursor' } }),
    ended('2'),
    ended('1'),
    decided('3', { allowed: false, method: 'deny-rule' }),
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
    const { folder } = await written(events, { now: () => new Date(time++), rotateBytes: 1000 });
    expect(await idsIn(folder, filter)).toEqual(expected);
  });

  test.each<AuditFilter>([{}, { last: 5 }])(
    'of what is not a file is an error that says so: %j',
    async (filter) => {
      const { folder } = await written([decided('1')]);
      const log = path.join(folder, 'audit-20240101T000000000Z-00000000-000001.jsonl');
      const refused = { code: 'CONFIG_INVALID', message: `${log} is not a regular file. Move it away.` };
      for (const make of [fs.mkdirSync, namedPipe()]) {
        make(log);
        await expect(idsIn(folder, filter)).rejects.toMatchObject(refused);
        fs.rmSync(log, { recursive: true });
      }
      fs.symlinkSync(log, log);
      await expect(idsIn(folder, filter)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^ELOOP: .*-000001[.]jsonl/) as unknown,
      });
    },
  );

  test('of a folder without a log gives nothing', async () => {
    expect(await recordsIn(path.join(temporaryFolder(), 'nothing'))).toEqual([]);
  });

  test.each<AuditFilter>([{}, { last: 100 }, { last: 7 }, { last: 1 }])(
    'merges the logs of all processes in order of time: %j',
    async (filter) => {
      const { folder } = auditPlace();
      let time = Date.now() - 1000;
      const now = () => new Date(time++);
      const [one, other] = [openAudit({ folder, now, rotateBytes: 900 }), openAudit({ folder, now })];
      const order: string[] = [];
      for (let round = 0; round < 12; round++) {
        const audit = round % 3 === 0 ? other : one;
        order.push(`${round}`);
        await audit.write(decided(`${round}`));
      }
      await Promise.all([one.close(), other.close()]);
      const late = openAudit({ folder, now });
      order.push('late');
      await late.write(decided('late'));
      await late.close();
      expect(fs.readdirSync(folder).length).toBeGreaterThan(2);
      expect(await idsIn(folder, filter)).toEqual(order.slice(-(filter.last ?? 100)));
    },
  );

  test('opens no more files than were written at once', async () => {
    const { folder, index } = auditPlace();
    let time = Date.now() - 100_000;
    for (let n = 0; n < 30; n++) {
      await written([decided(`${n}`)], { now: () => new Date(time++) }, { folder, index });
      // As a process that was killed leaves it.
      for (const name of fs.readdirSync(index).filter((one) => one.endsWith('.free')))
        fs.rmSync(path.join(index, name));
    }
    expect(fs.readdirSync(folder)).toHaveLength(30);
    const open = () => fs.readdirSync('/proc/self/fd').length;
    const before = open();
    let most = 0;
    for await (const { event } of readAudit(folder)) {
      most = Math.max(most, open() - before);
      if (idOf(event) === '20') break;
    }
    expect(most).toBeLessThan(4);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 30, files: 30 });
  });
});
