import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { PluglotError } from '../../../base/error.ts';
import { lineSplitter } from './line-splitter.ts';
import { LogRing, type LogRecord } from './log-book.ts';
import { logFile } from './log-file.ts';
import { createSecrets } from '../../../secrets/secrets.ts';
import { PluginLog } from './plugin-log.ts';

const entry = (message: string) => ({ source: 'plugin', level: 'info', message }) as const;

test('the last entries are kept, the oldest first', () => {
  const ring = new LogRing({ entries: 3 });
  for (const message of ['a', 'b', 'c', 'd', 'e']) ring.write(entry(message));
  expect(ring.entries.map(({ message }) => message)).toEqual(['c', 'd', 'e']);
});

test('what is kept is bounded in size too, whatever is written', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 100 }), (sizes) => {
      const ring = new LogRing({ entries: 50, characters: 2000 });
      for (const size of sizes) ring.write(entry('x'.repeat(size)));
      const kept = ring.entries.map(({ message }) => message.length);
      expect(kept.length).toBeLessThanOrEqual(50);
      expect(kept.reduce((sum, size) => sum + size + 100, 0)).toBeLessThanOrEqual(2000);
      expect(kept).toEqual(kept.length === 0 ? [] : sizes.slice(-kept.length));
    }),
  );
});

test('a message that is too long is cut, and data that is too long left out', () => {
  const ring = new LogRing();
  ring.write({ ...entry('x'.repeat(20_000)), data: 'y'.repeat(20_000) });
  const [record] = ring.entries;
  expect(record?.message).toHaveLength(16 * 1024 + 2);
  expect(record).not.toHaveProperty('data');
});

test('whoever follows hears all that comes, until no longer, and harms nobody', () => {
  const ring = new LogRing();
  const heard: string[] = [];
  ring.follow(() => {
    throw new Error('a bad listener');
  });
  const end = ring.follow(({ message }) => void heard.push(message));
  ring.write(entry('a'));
  end();
  ring.write(entry('b'));
  expect(heard).toEqual(['a']);
});

test('lines are the same however they are cut into pieces', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀', '\n', '\r\n') }),
      fc.infiniteStream(fc.nat(4)),
      (text, sizes) => {
        const lines: string[] = [];
        const splitter = lineSplitter((line) => void lines.push(line));
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) {
          const size = (sizes.next().value as number) + 1;
          splitter.push(bytes.subarray(at, at + size));
          at += size;
        }
        splitter.end();
        expect(lines).toEqual(text.split(/\r?\n/).filter((line) => line !== ''));
      },
    ),
  );
});

test('a line without end does not grow for ever', () => {
  const lines: string[] = [];
  const splitter = lineSplitter((line) => void lines.push(line));
  for (let n = 0; n < 100; n++) splitter.push(Buffer.from('x'.repeat(1000)));
  expect(lines.length).toBeGreaterThan(4);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(16 * 1024);
});

test('a file gets a line for each entry, and only its owner can read it', async () => {
  const folder = temporaryFolder();
  const file = logFile(path.join(folder, 'logs'), 'a/b ../c');
  file.write({ at: 0, source: 'stderr', level: 'warn', message: 'one\ntwo', data: { a: 1 } });
  await file.close();
  const written = path.join(folder, 'logs', 'a%2fb%20..%2fc.log');
  expect(readFileSync(written, 'utf8')).toBe('1970-01-01T00:00:00.000Z warn  stderr one\n  two {"a":1}\n');
  expect(statSync(written).mode & 0o777).toBe(0o600);
});

test('a full file is turned once, so that there are never more than two', async () => {
  const folder = temporaryFolder();
  const file = logFile(folder, 'p', { bytes: 1000 });
  for (let n = 0; n < 100; n++) file.write({ at: 0, ...entry(`entry ${n}`) });
  await file.close();
  const sizes = ['p.log', 'p.log.1'].map((name) => statSync(path.join(folder, name)).size);
  for (const size of sizes) expect(size).toBeLessThan(1100);
  expect(
    readFileSync(path.join(folder, 'p.log'), 'utf8') + readFileSync(path.join(folder, 'p.log.1'), 'utf8'),
  ).toContain('entry 99');
});

test('a file that is full from before is turned at once', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'p.log'), 'x'.repeat(2000));
  const file = logFile(folder, 'p', { bytes: 1000 });
  file.write({ at: 0, ...entry('new') });
  await file.close();
  expect(readFileSync(path.join(folder, 'p.log.1'), 'utf8')).toHaveLength(2000);
});

test('a folder that cannot be written to costs the file, not the plugin', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'file'), '');
  const file = logFile(path.join(folder, 'file', 'below'), 'p');
  file.write({ at: 0, ...entry('lost') });
  await expect(file.close()).resolves.toBeUndefined();
});

test('everything of a plugin comes to its log in one form', () => {
  const heard: LogRecord[] = [];
  const log = new PluginLog('p', undefined, createSecrets(), (record) => void heard.push(record));
  log.plugin({ level: 'debug', message: 'own', data: [1] });
  const stderr = log.stderr();
  stderr.push(Buffer.from('printed\nhalf'));
  log.trouble({ kind: 'noise', text: 'noise' });
  log.trouble({ kind: 'invalid', reason: 'no JSON-RPC', text: '{}' });
  log.trouble({ kind: 'oversize', size: 99, head: '{"a' });
  log.trouble({ kind: 'torn', size: 3 });
  log.trouble({ kind: 'thrown', where: 'an observer', error: new Error('oops') });
  log.state('backoff', new PluglotError('PLUGIN_EXITED', 'It exited.'));
  expect(heard.map(({ source, level, message }) => `${source} ${level} ${message}`)).toEqual([
    'plugin debug own',
    'stderr info printed',
    'stdout info noise',
    'stdout warn no message (no JSON-RPC): {}',
    'host warn a message of 99 bytes is over the limit and was skipped; it begins with: {"a',
    'host warn the output ended within a message, after 3 bytes',
    'host error an observer threw: oops',
    'host warn backoff: It exited.',
  ]);
  expect(log.book.entries).toEqual(heard);
  stderr.end();
  stderr.end();
  stderr.push(Buffer.from('late\n'));
  expect(heard.slice(-2).map(({ message }) => message)).toEqual(['half', 'late']);
});

test('what a plugin says is masked before it is kept, in memory and in the file', async () => {
  const folder = temporaryFolder();
  const secret = 'correct-horse-battery';
  const heard: LogRecord[] = [];
  const log = new PluginLog('p', folder, createSecrets([secret]), (record) => void heard.push(record));
  const shown = log.plugin({
    level: 'info',
    message: `own ${secret}`,
    data: { list: [secret], token: 'abc-def' },
  });
  const stderr = log.stderr();
  stderr.push(Buffer.from(`printed ${secret} password=hun`));
  stderr.push(Buffer.from('ter2\n'));
  log.trouble({ kind: 'noise', text: `noise ${secret.slice(0, 9)}` });
  log.trouble({ kind: 'invalid', reason: 'no JSON-RPC', text: `{"a":"${secret}"` });
  log.trouble({ kind: 'oversize', size: 99, head: `{"a":"${secret.slice(0, 12)}` });
  log.trouble({ kind: 'thrown', where: 'an observer', error: new Error(secret) });
  await log.close();
  expect(shown).toEqual({ level: 'info', message: 'own ***', data: { list: ['***'], token: '***' } });
  expect(heard.map(({ message }) => message)).toEqual([
    'own ***',
    'printed *** password=***',
    'noise ***',
    'no message (no JSON-RPC): {"a":"***"',
    'a message of 99 bytes is over the limit and was skipped; it begins with: {"a":"***',
    'an observer threw: ***',
  ]);
  expect(JSON.stringify(log.book.entries)).not.toContain('correct');
  expect(readFileSync(path.join(folder, 'p.log'), 'utf8')).not.toMatch(/correct|hunter2|abc-def/);
});

test('a message that is very long is masked in what is kept of it, and in its beginning for whoever follows', () => {
  const secret = 'correct-horse-battery';
  const log = new PluginLog('p', undefined, createSecrets([secret]), () => {});
  const say = (message: string) => log.plugin({ level: 'info', message }).message;
  expect(say(`password=hunter2abc ${'x '.repeat(35_000)}${secret}`)).toMatch(
    /^password=\*\*\* x .* x \*\*\*$/,
  );
  // So much is masked that what nobody has looked at would move up.
  say(`${`password=${'y'.repeat(2000)} `.repeat(40)} password=hunter2abc`);
  const kept = log.book.entries.map(({ message }) => message);
  expect(kept.map((message) => message.slice(0, 15))).toEqual(['password=*** x ', 'password=*** pa']);
  expect(kept.map((message) => message.slice(-2))).toEqual([' …', ' …']);
  expect(JSON.stringify(kept)).not.toMatch(/hunter2|yyy/);
});

test('a line that is cut, since it is long, shows at most five letters of a secret there', () => {
  const secret = 'correct-horse-battery';
  const longest = 16 * 1024;
  for (let before = longest - secret.length - 2; before < longest + 2; before++) {
    const log = new PluginLog('p', undefined, createSecrets([secret]), () => {});
    const stderr = log.stderr();
    stderr.push(Buffer.from(`${'x'.repeat(before)}${secret} and more`));
    stderr.push(Buffer.from('\n'));
    const printed = log.book.entries.map(({ message }) => message);
    expect(printed).toHaveLength(2);
    for (const text of printed) expect(text).not.toMatch(/correc|orrect|-horse|horse-|battery/);
  }
});

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pluglot-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
