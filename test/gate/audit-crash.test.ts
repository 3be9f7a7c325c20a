// Processes that write to one audit folder at once and are killed meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { onTestFinished, expect, test } from 'vitest';
import { readAudit } from '../../src/gate/audit/read-audit.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Writes as many as it is asked for, five at a time, and prints the names of what was written. */
const program = `
  const { openAudit } = await import(${JSON.stringify(path.join(root, 'src/gate/audit/open-audit.ts'))});
  const { default: readline } = await import('node:readline');
  const [folder, who] = process.argv.slice(1);
  const audit = openAudit({ folder, rotateBytes: 100_000, report: (message) => console.log('told ' + message) });
  let n = 0;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    for (const goal = n + Number(line); n < goal; n += 5) {
      const names = [0, 1, 2, 3, 4].map((more) => who + '-' + (n + more));
      await Promise.all(names.map((what) => audit.write({ kind: 'noted', what, data: { filler: 'x'.repeat(500) } })));
      process.stdout.write(names.map((name) => 'wrote ' + name + '\\n').join(''));
    }
  }
`;

interface Writer {
  readonly child: ChildProcess;
  readonly wrote: string[];
  readonly told: string[];
  /** Has more written than that, and resolves when so many are. */
  more(count: number): Promise<void>;
  kill(): Promise<void>;
}

function writer(folder: string, who: string): Writer {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program, folder, who],
    {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  const wrote: string[] = [];
  const told: string[] = [];
  let heard = () => {};
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const [, kind, rest = ''] = /^(wrote|told) (.*)$/.exec(line) ?? [];
    if (kind === 'wrote') wrote.push(rest);
    if (kind === 'told') told.push(rest);
    heard();
  });
  return {
    child,
    wrote,
    told,
    async more(count) {
      const goal = wrote.length + count;
      child.stdin.write(`${count + 200}\n`);
      while (wrote.length < goal) await new Promise<void>((resolve) => (heard = resolve));
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

test('what was said to be written is there, and every chain is whole, however often writers are killed', async () => {
  const folder = path.join(temporaryFolder(), 'audit');
  const writers = [writer(folder, 'a'), writer(folder, 'b')];
  const killed: Writer[] = [];
  for (let round = 0; round < 10; round++) {
    await Promise.all(writers.map((one) => one.more(20 + 7 * round)));
    const [oldest] = writers.splice(0, 1);
    await oldest?.kill();
    if (oldest) killed.push(oldest);
    // The one that is left goes on by itself, whatever the other left behind.
    await writers[0]?.more(10);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true });
    writers.push(writer(folder, `w${round}`));
  }
  for (const one of writers) await one.kill();
  expect(await verifyAudit(folder)).toMatchObject({ ok: true, isEndChecked: true, torn: [] });

  const there: string[] = [];
  let last = '';
  for await (const { at, event } of readAudit(folder)) {
    expect(at >= last).toBe(true);
    last = at;
    if (event.kind === 'noted') there.push(event.what);
  }
  const all = [...killed, ...writers];
  const wrote = all.flatMap((one) => one.wrote);
  expect(wrote.length).toBeGreaterThan(500);
  const found = new Set(there);
  expect(wrote.filter((name) => !found.has(name))).toEqual([]);
  expect(found.size).toBe(there.length);
  // No process has found anything wrong with what another left.
  expect(all.flatMap((one) => one.told)).toEqual([]);
}, 300_000);
