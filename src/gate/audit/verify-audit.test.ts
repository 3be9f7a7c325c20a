import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type AuditPlace,
  auditPlace,
  decided,
  ended,
  recordsIn,
  written,
} from '../../../test/support/gate/audit-log.ts';
import { runs } from '../../../test/support/runs.ts';
import { namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readKey, writeHead } from './heads.ts';
import { openAudit } from './open-audit.ts';
import { verifyAudit } from './verify-audit.ts';

async function expectProblem(folder: string, ...problems: string[]): Promise<void> {
  const verdict = await verifyAudit(folder);
  expect(verdict.problems.map(({ problem }) => problem)).toEqual(
    problems.map((problem) => expect.stringContaining(problem) as string),
  );
  expect(verdict.ok).toBe(false);
}

/** Both folders as they are now. */
function copyOf({ folder, index }: AuditPlace): AuditPlace {
  const copy = auditPlace();
  fs.cpSync(folder, copy.folder, { recursive: true });
  fs.cpSync(index, copy.index, { recursive: true });
  return copy;
}

/** When the burst of writes is over, and the files are closed. */
async function settled(head: string): Promise<void> {
  await vi.waitFor(() => expect(fs.readFileSync(head, 'utf8')).not.toContain('"next"'));
}

function readPipe(at: string): void {
  namedPipe()(at);
  const reader = fs.openSync(at, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  onTestFinished(() => fs.closeSync(reader));
}

describe('a log that was changed', () => {
  test('is found, whatever byte is changed, inserted or removed, anywhere', async () => {
    const place = await written([decided('1', { args: { x: 'ä' } }), ended('1'), decided('2', { args: {} })]);
    const file = place.file();
    const bytes = fs.readFileSync(file);
    const isFound = async (changed: Buffer): Promise<boolean> => {
      fs.writeFileSync(file, changed);
      return !(await verifyAudit(place.folder)).ok;
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
        missed.push(`removed ${at}`);
      const extra = Buffer.from([[10, 32, 65, 0][at % 4] ?? 0]);
      if (!(await isFound(Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at)]))))
        missed.push(`inserted ${at}`);
      if (!(await isFound(bytes.subarray(0, at)))) missed.push(`cut off ${at}`);
    }
    if (!(await isFound(Buffer.concat([bytes, Buffer.from('\n')])))) missed.push('inserted at the end');
    expect(missed).toEqual([]);
    fs.writeFileSync(file, bytes);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 3 });
  }, 300_000);

  test('is found in its head and its key too', async () => {
    const place = await written([decided('1')]);
    const isMissed = async (name: string, at: number): Promise<string[]> => {
      const copy = copyOf(place);
      const file = path.join(copy.index, name);
      const changed = fs.readFileSync(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      fs.writeFileSync(file, changed);
      return (await verifyAudit(copy.folder)).ok ? [`${name} ${at}`] : [];
    };
    const trials = [path.basename(place.head()), 'audit.key'].flatMap((name) => {
      const { size } = fs.statSync(path.join(place.index, name));
      // The line feed at the end of the key says nothing.
      const bytes = Array.from({ length: name === 'audit.key' ? size - 1 : size }, (_, at) => at);
      return bytes.filter((at) => at % runs(1, 5) === 0).map((at) => () => isMissed(name, at));
    });
    // A head that looks wrong is looked at again for a while, so they wait together.
    const missed = await Promise.all(trials.map((trial) => trial()));
    expect(missed.flat()).toEqual([]);
    expect(trials.length).toBeGreaterThan(40);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true });
  });

  test('is found although all its hashes were made anew', async () => {
    const place = await written([decided('1'), ended('1')]);
    const other = await written([decided('1', { allowed: false }), ended('1')]);
    fs.copyFileSync(other.file(), place.file());
    expect(await verifyAudit(place.file())).toMatchObject({ ok: true, isEndChecked: false });
    await expectProblem(place.folder, 'The last line is not the one that was written.');
    fs.copyFileSync(other.head(), place.head());
    await expectProblem(place.folder, 'is not sealed with the key');
  });

  test('is found when an older state of the folder is put back', async () => {
    const place = await written([decided('1')]);
    const before = copyOf(place);
    await written([ended('1'), decided('2')], {}, place);
    fs.rmSync(place.folder, { recursive: true });
    fs.cpSync(before.folder, place.folder, { recursive: true });
    await expectProblem(place.folder, 'The end is missing: 3 lines were written, 1 are there.');
    // Another process leaves it as it is, says so in a log of its own, and does not make it look right.
    const reported: string[] = [];
    await written([decided('3')], { report: (message) => void reported.push(message) }, place);
    expect(reported).toEqual([expect.stringContaining('its end was removed')]);
    expect((await recordsIn(place.folder)).map(({ event }) => event)).toMatchObject([
      { id: '1' },
      { what: 'log-left', data: { log: place.log() } },
      { id: '3' },
    ]);
    await expectProblem(place.folder, 'The end is missing: 3 lines were written, 1 are there.');
  });

  test('is found when the log of a process is deleted, or two are exchanged', async () => {
    const { folder, index } = auditPlace();
    const all = [openAudit({ folder }), openAudit({ folder })];
    for (const [n, audit] of all.entries()) await audit.write(decided(`${n}`));
    await Promise.all(all.map((audit) => audit.close()));
    const [one = '', other = ''] = fs.readdirSync(folder).map((name) => path.join(folder, name));
    const exchange = (first: string, second: string) => {
      fs.renameSync(first, `${first}.tmp`);
      fs.renameSync(second, first);
      fs.renameSync(`${first}.tmp`, second);
    };
    exchange(one, other);
    const wrong = 'The last line is not the one that was written.';
    await expectProblem(folder, wrong, wrong);
    // With their heads.
    const heads = fs.readdirSync(index).filter((name) => name.endsWith('.head'));
    const [oneHead = '', otherHead = ''] = heads.map((name) => path.join(index, name));
    exchange(oneHead, otherHead);
    await expectProblem(folder, 'is that of another log', 'is that of another log');
    exchange(oneHead, otherHead);
    exchange(one, other);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, lines: 2 });
    fs.rmSync(one);
    await expectProblem(folder, 'The end is missing: 1 lines were written, 0 are there.');
    fs.rmSync(folder, { recursive: true });
    await expectProblem(folder, 'The end is missing', 'The end is missing');
  });

  test('is found when its head, the key or the whole index is deleted', async () => {
    const place = await written([decided('1'), ended('1')]);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true });
    for (const [gone, problem] of [
      [place.head(), 'The head is missing'],
      [path.join(place.index, 'audit.key'), 'The key is missing'],
    ] as const) {
      fs.renameSync(gone, `${gone}.moved`);
      await expectProblem(place.folder, problem);
      fs.renameSync(`${gone}.moved`, gone);
    }
    fs.renameSync(place.index, `${place.index}.moved`);
    await expectProblem(place.folder, 'The key is missing');
    await written([decided('2')], {}, place);
    await expectProblem(place.folder, 'The head is missing');
  });

  test('is not written to without the key that seals what is there', async () => {
    const place = await written([decided('1')]);
    const key = path.join(place.index, 'audit.key');
    fs.renameSync(key, `${key}.moved`);
    const audit = openAudit(place);
    await expect(audit.write(decided('2'))).rejects.toThrow('is missing or unreadable. Put it back');
    fs.renameSync(`${key}.moved`, key);
    await audit.write(decided('3'));
    await audit.close();
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 3, torn: [{ lost: 1 }] });
  });

  test('is not written to by the process that has it open', async () => {
    const { folder, index } = auditPlace();
    const audit = openAudit({ folder });
    await audit.write(decided('1'));
    const [name = ''] = fs.readdirSync(folder);
    fs.appendFileSync(path.join(folder, name), 'x\n');
    await expect(audit.write(decided('2'))).rejects.toThrow('another program has written to it');
    await audit.close();
    // Logs that begin in the same millisecond have no order.
    const later = () => new Date(Date.now() + 1000);
    await written([decided('3')], { now: later }, { folder, index });
    await expectProblem(folder, 'is not a line of an audit log');
    expect((await recordsIn(folder)).map(({ event }) => event)).toMatchObject([
      { id: '1' },
      { what: 'log-left' },
      { id: '3' },
    ]);
  });

  test('may be moved away with its index: the process that has it open begins a new one', async () => {
    const { folder, index } = auditPlace();
    const audit = openAudit({ folder });
    await audit.write(decided('0'));
    fs.renameSync(folder, `${folder}-1`);
    fs.renameSync(index, `${folder}-1-index`);
    // A burst that is under way still goes to where it began.
    let count = 1;
    do await audit.write(decided(String(count++)));
    while (!fs.existsSync(folder));
    await audit.close();
    const verdicts = await Promise.all([verifyAudit(`${folder}-1`), verifyAudit(folder)]);
    expect(verdicts).toMatchObject([{ ok: true }, { ok: true }]);
    // And the note that says so.
    expect(verdicts.reduce((sum, { lines }) => sum + lines, 0)).toBe(count + 1);
  });

  test('that was moved away does not go on in the folder that took its place', async () => {
    const { folder, index } = auditPlace();
    const audit = openAudit({ folder, rotateBytes: 500 });
    await audit.write(decided('1'));
    fs.renameSync(folder, `${folder}-1`);
    fs.renameSync(index, `${folder}-1-index`);
    for (const one of [folder, index]) fs.mkdirSync(one, { mode: 0o700 });
    for (const id of ['2', '3', '4']) await audit.write(decided(id));
    await audit.close();
    const verdicts = await Promise.all([verifyAudit(`${folder}-1`), verifyAudit(folder)]);
    expect(verdicts).toMatchObject([{ ok: true }, { ok: true }]);
    expect(verdicts.reduce((sum, { lines }) => sum + lines, 0)).toBe(5);
  });

  describe.each(['head', 'log'] as const)('whose %s', (which) => {
    const begun = async () => {
      const place = await written([]);
      const audit = openAudit({ folder: place.folder });
      await audit.write(decided('1'));
      await settled(place.head());
      return { place, audit, file: which === 'head' ? place.head() : place.file() };
    };

    test('is deleted by another program makes its process refuse calls until it is back', async () => {
      const { place, audit, file } = await begun();
      fs.renameSync(file, `${file}.away`);
      for (const id of ['2', '3'])
        await expect(audit.write(decided(id))).rejects.toMatchObject({
          code: 'AUDIT_FAILED',
          message: expect.stringContaining(`${file} is gone`) as string,
        });
      fs.renameSync(`${file}.away`, file);
      await audit.write(decided('4'));
      await audit.close();
      expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 3, torn: [{ lost: 2 }] });
    });

    test.each([
      ['a named pipe', namedPipe()],
      ['a named pipe that is read', readPipe],
      ['a folder', (at: string) => fs.mkdirSync(at)],
      ['a link', (at: string) => fs.symlinkSync(`${at}.away`, at)],
    ])('is %s makes its process refuse calls, and the next one begins a new log', async (_, make) => {
      const { place, audit, file } = await begun();
      fs.renameSync(file, `${file}.away`);
      make(file);
      await expect(audit.write(decided('2'))).rejects.toMatchObject({
        code: 'AUDIT_FAILED',
        message: expect.stringContaining(`${file} is not a regular file`) as string,
      });
      await audit.close();
      const reported: string[] = [];
      fs.writeFileSync(path.join(place.index, `${place.log()}.free`), '', { mode: 0o600 });
      await written([decided('3')], { report: (message) => void reported.push(message) }, place);
      expect(reported).toHaveLength(1);
      expect(await verifyAudit(place.folder)).toMatchObject({ ok: false });
    });
  });

  test('is reported with its line', async () => {
    const place = await written([decided('1'), decided('2'), decided('3')]);
    const text = fs.readFileSync(place.file(), 'utf8');
    fs.writeFileSync(place.file(), text.replace('"id":"2"', '"id":"9"'));
    expect(await verifyAudit(place.folder)).toEqual({
      ok: false,
      lines: 1,
      files: 1,
      problems: [
        {
          file: place.file(),
          line: 2,
          problem: 'The line was changed: its hash does not fit its content.',
        },
      ],
      torn: [],
      unfinished: 0,
      isEndChecked: true,
    });
  });

  test('may be anything at all', async () => {
    const place = await written([decided('1')]);
    const file = place.file();
    for (const bytes of [
      Buffer.alloc(3_000_000, 65),
      Buffer.alloc(100_000, 10),
      Buffer.from('{}\n'),
      Buffer.alloc(0),
    ]) {
      fs.writeFileSync(file, bytes);
      expect(await verifyAudit(place.folder)).toMatchObject({ ok: false });
      expect(await recordsIn(place.folder)).toEqual([]);
    }
    fs.rmSync(file);
    fs.mkdirSync(file);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: false });
  });
});

describe('a log that is deleted together with its head', () => {
  const deleted = (place: { folder: string; index: string }, log: string) => {
    fs.rmSync(path.join(place.folder, `${log}-000001.jsonl`));
    for (const ending of ['head', 'free'])
      fs.rmSync(path.join(place.index, `${log}.${ending}`), { force: true });
  };
  const missing = (place: { folder: string }, log: string) => ({
    file: path.join(place.folder, `${log}-000001.jsonl`),
    problem: 'The log is missing, and its head too: both were deleted.',
  });

  test('is missed, also when others began before and after it', async () => {
    const place = auditPlace();
    const open = [0, 1, 2].map(() => openAudit({ folder: place.folder }));
    for (const audit of open) await audit.write(decided('1'));
    for (const audit of open) await audit.close();
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, files: 3 });
    const heads = fs.readdirSync(place.index).filter((name) => name.endsWith('.head'));
    for (const head of heads.toSorted()) {
      const copy = copyOf(place);
      deleted(copy, head.slice(0, -5));
      expect((await verifyAudit(copy.folder)).problems).toEqual([missing(copy, head.slice(0, -5))]);
    }
  });

  test('is missed when it was the only one, also after the next has begun', async () => {
    const place = await written([decided('1')]);
    const log = place.log();
    deleted(place, log);
    expect((await verifyAudit(place.folder)).problems).toEqual([missing(place, log)]);
    await written([decided('2')], {}, place);
    expect((await verifyAudit(place.folder)).problems).toEqual([missing(place, log)]);
  });

  test('is not hidden by deleting or changing the list', async () => {
    const place = await written([decided('1')]);
    const file = path.join(place.index, 'audit.logs');
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace(place.log(), ''));
    expect((await verifyAudit(place.folder)).problems).toEqual([
      {
        file,
        problem: 'The list of all logs is not sealed with the key: it was changed, or the key was replaced.',
      },
    ]);
    fs.rmSync(file);
    await written([decided('2')], {}, place);
    expect((await verifyAudit(place.folder)).problems).toEqual([
      {
        file,
        problem: 'The list of all logs is missing, so it is unknown whether logs were deleted.',
      },
    ]);
  });
});

test.runIf(process.platform !== 'win32')('files that others can read or change are reported', async () => {
  const place = await written([decided('1')]);
  const key = path.join(place.index, 'audit.key');
  const cases: [string, number, number, string][] = [
    [place.file(), 0o644, 0o600, 'read'],
    [place.head(), 0o620, 0o600, 'change'],
    [key, 0o604, 0o600, 'read'],
    [place.index, 0o750, 0o700, 'read'],
    [place.folder, 0o720, 0o700, 'change'],
    [place.folder, 0o755, 0o700, 'read'],
  ];
  for (const [file, loose, tight, what] of cases) {
    fs.chmodSync(file, loose);
    const { problems, lines } = await verifyAudit(place.folder);
    expect(problems).toEqual([
      {
        file,
        problem: `Other users of this machine can ${what} it.`,
        fix: `chmod ${tight.toString(8)} ${file}`,
      },
    ]);
    expect(lines).toBe(1);
    fs.chmodSync(file, tight);
  }
  // Of a folder that the user has chosen, apart from the index, others may see the names.
  const index = path.join(temporaryFolder(), 'index');
  fs.renameSync(place.index, index);
  fs.chmodSync(place.folder, 0o755);
  expect(await verifyAudit(place.folder, { index })).toMatchObject({ ok: true });
});

test.runIf(process.platform !== 'win32')('folders above that others can change are reported', async () => {
  const place = await written([decided('1')]);
  const above = path.dirname(place.folder);
  for (const mode of [0o777, 0o1777]) {
    fs.chmodSync(above, mode);
    const { problems, lines } = await verifyAudit(place.folder);
    expect(problems).toEqual([
      {
        file: above,
        problem: 'The folder can be changed by other users, who can put other logs in the place of these.',
        fix: `chmod go-w ${above}`,
      },
    ]);
    expect(lines).toBe(1);
  }
});

test.runIf(process.getuid?.() === 0)('files and folders of another user are reported', async () => {
  const place = await written([decided('1')]);
  const key = path.join(place.index, 'audit.key');
  const fix = (file: string) => `sudo chown 0 ${file}`;
  for (const file of [place.file(), place.head(), key, place.index, place.folder]) {
    fs.chownSync(file, 4321, 4321);
    const { problems } = await verifyAudit(place.folder);
    expect(problems).toEqual([{ file, problem: 'It belongs to another user.', fix: fix(file) }]);
    fs.chownSync(file, 0, 0);
  }
  const above = path.dirname(place.folder);
  fs.chownSync(above, 4321, 4321);
  expect((await verifyAudit(place.folder)).problems).toMatchObject([{ file: above, fix: fix(above) }]);
});

test.runIf(process.platform !== 'win32')(
  'of links it is said that they are links, not how to chmod them',
  async () => {
    for (const of of ['log', 'head', 'folder'] as const) {
      const place = await written([decided('1')]);
      const file = of === 'log' ? place.file() : of === 'head' ? place.head() : place.folder;
      fs.renameSync(file, `${place.index}/../real`);
      fs.symlinkSync(`${place.index}/../real`, file);
      const { problems } = await verifyAudit(place.folder);
      const about = problems.filter((one) => one.file === file && one.problem.startsWith('It is a link'));
      expect(about).toHaveLength(1);
      expect(problems.map(({ fix }) => fix)).toEqual(problems.map(() => undefined));
    }
  },
);

describe('a process that was killed', () => {
  test('after a write has left all of it', async () => {
    const { folder, index } = auditPlace();
    const audit = openAudit({ folder });
    await audit.write(decided('1'));
    const copy = copyOf({ folder, index });
    await audit.close();
    expect(await verifyAudit(copy.folder)).toMatchObject({ ok: true, lines: 1, unfinished: 0 });
    await written([decided('2')], {}, copy);
    // Its log stays as it is: it may be written to.
    expect(await verifyAudit(copy.folder)).toMatchObject({ ok: true, lines: 2, files: 2 });
  });

  /** As a process leaves it that is killed in the middle of its second write: the head announces what is not there. */
  async function cut(keep: (batch: Buffer) => Buffer): Promise<AuditPlace> {
    const place = await written([decided('1')]);
    const before = fs.readFileSync(place.file());
    let announced = '';
    const { writeSync } = fs;
    const audit = openAudit(place);
    try {
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        if (typeof args[1] === 'string' && args[1].includes('"next"')) announced = args[1];
        return writeSync(...args);
      }) as typeof writeSync;
      await Promise.all([decided('2'), decided('3')].map((event) => audit.write(event)));
    } finally {
      fs.writeSync = writeSync;
    }
    const batch = fs.readFileSync(place.file()).subarray(before.length);
    await audit.close();
    fs.writeFileSync(place.file(), Buffer.concat([before, keep(batch)]));
    fs.writeFileSync(place.head(), announced);
    fs.rmSync(path.join(place.index, `${place.log()}.free`));
    return place;
  }

  test('in the middle of a write is known as such', async () => {
    for (const [length, unfinished] of [
      [0, 2],
      [1, 2],
      [300, 2],
      [500, 1],
    ] as const) {
      const { folder } = await cut((batch) => batch.subarray(0, length));
      expect(await verifyAudit(folder), `${length}`).toMatchObject({ ok: true, unfinished });
    }
  });

  test('hides no change of a complete line, and none of what was written before', async () => {
    const whole = await cut((batch) => batch);
    expect(await verifyAudit(whole.folder)).toMatchObject({ ok: true, unfinished: 0, lines: 3 });
    const changed = await cut((batch) => Buffer.from(batch.toString().replace('"id":"3"', '"id":"9"')));
    await expectProblem(changed.folder, 'its hash does not fit its content');
    const longer = await cut((batch) => Buffer.concat([batch, Buffer.from('more')]));
    await expectProblem(longer.folder, 'There is something after the last line');
    const shorter = await cut(() => Buffer.alloc(0));
    const [name = ''] = fs.readdirSync(shorter.folder);
    const file = path.join(shorter.folder, name);
    fs.writeFileSync(file, fs.readFileSync(file).subarray(0, -20));
    await expectProblem(shorter.folder, 'The end is missing: 3 lines were written, 0 are there.');
  });
});

describe('the shared log of version 0.1', () => {
  function sharedLog(): AuditPlace {
    const place = auditPlace();
    const from = path.resolve(import.meta.dirname, '../../../test/support/gate/audit-0.1');
    fs.cpSync(from, place.folder, { recursive: true });
    fs.chmodSync(place.folder, 0o700);
    for (const name of fs.readdirSync(place.folder)) fs.chmodSync(path.join(place.folder, name), 0o600);
    return place;
  }
  const file = (folder: string, number: number) => path.join(folder, `audit-00000${number}.jsonl`);

  test('is read and verified, before new ones and with them', async () => {
    const place = sharedLog();
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 6, files: 2 });
    await written([decided('new')], {}, place);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true, lines: 7, files: 3 });
    for (const filter of [{}, { last: 100 }])
      expect((await recordsIn(place.folder, filter)).map(({ event }) => event)).toMatchObject([
        ...['c1', 'c1', 'c2', 'c2', 'c3', 'c3'].map((id) => ({ id })),
        { id: 'new' },
      ]);
    expect((await recordsIn(place.folder, { last: 2 })).map(({ event }) => event)).toMatchObject([
      { id: 'c3' },
      { id: 'new' },
    ]);
  });

  test('is found when it was changed', async () => {
    const place = sharedLog();
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true });
    const text = fs.readFileSync(file(place.folder, 1), 'utf8');
    fs.writeFileSync(file(place.folder, 1), text.replace('git status', 'git statuS'));
    await expectProblem(place.folder, 'its hash does not fit its content');
    fs.writeFileSync(file(place.folder, 1), text);
    fs.rmSync(file(place.folder, 2));
    await expectProblem(place.folder, 'The end is missing: 6 lines were written');
  });

  test('is found when an older state of it is put back, once the index knows it', async () => {
    const place = sharedLog();
    const older = sharedLog();
    rollBack(older.folder);
    expect(await verifyAudit(older.folder)).toMatchObject({ ok: true, lines: 3 });
    await written([decided('new')], {}, place);
    rollBack(place.folder);
    await expectProblem(place.folder, 'audit.head knows 6 lines, 3 are there: the log was rolled back');
  });

  test('is found when it is put beside logs that began without it', async () => {
    const place = await written([decided('1')]);
    expect(await verifyAudit(place.folder)).toMatchObject({ ok: true });
    fs.cpSync(sharedLog().folder, place.folder, { recursive: true });
    const { problems } = await verifyAudit(place.folder);
    expect(problems).toEqual([
      { file: file(place.folder, 1), problem: expect.stringContaining('does not name this log') as string },
    ]);
  });

  /** To its first file, with the head that it had then. */
  function rollBack(folder: string): void {
    fs.rmSync(file(folder, 2));
    const bytes = fs.readFileSync(file(folder, 1));
    const last = JSON.parse(bytes.toString().trimEnd().split('\n').at(-1) ?? '') as {
      seq: number;
      hash: string;
    };
    const key = readKey(folder);
    if (key === undefined) throw new Error('There is no key.');
    const descriptor = fs.openSync(path.join(folder, 'audit.head'), 'r+');
    writeHead(descriptor, 'audit', key, {
      end: { file: 1, bytes: bytes.length, seq: last.seq, hash: last.hash },
    });
    fs.closeSync(descriptor);
  }
});
