import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { personAt } from './person.ts';
import { createTerminals } from './terminal.ts';

const never = new AbortController().signal;

test('asks one after the other, and what else is printed waits for the answer', async () => {
  const { person, out, type, until, screen } = atTerminal();
  const first = person.ask('A question?\n', 'y/n ', never);
  const second = person.ask('Another?\n', '> ', never);
  await until('y/n ');
  out.line('y/n A question? of somebody else');
  expect(screen()).not.toContain('somebody else');
  type('yes\r');
  expect(await first).toBe('yes');
  await until('> ');
  expect(screen()).toContain('of somebody else\n');
  type('no\r');
  expect(await second).toBe('no');
});

test('what was typed before the question is no answer to it', async () => {
  const { person, type, until } = atTerminal();
  type('yes\r');
  const asked = person.ask('Delete all?', 'y/n ', never);
  await until('y/n ');
  type('never\r');
  expect(await asked).toBe('never');
});

test('what is shown cannot lead the terminal', async () => {
  const { person, type, until, screen } = atTerminal();
  const asked = person.ask('a\u001B[2Jb\u009B31m\u202Ec', 'p\u001B[2J> ', never);
  await until('p\\x1b[2J> ');
  expect(screen()).toContain('a\\x1b[2Jb\\x9b31m\\x202ec\n');
  type('\r');
  expect(await asked).toBe('');
});

test('a question of the gate is shown as it was drawn', async () => {
  const { person, type, until } = atTerminal();
  const { approvals } = person;
  const asked = approvals.ask(approvals.colours?.frame('┃') ?? '', '> ', never);
  await until('\u001B[36m┃\u001B[39m\n');
  await until('> ');
  type('y\r');
  expect(await asked).toBe('y');
});

test('no answer: the end of the input, or nobody waits any longer', async () => {
  const { person, type, until } = atTerminal();
  const asked = person.ask('?', '> ', never);
  await until('> ');
  type('\u0004');
  expect(await asked).toBeUndefined();

  const controller = new AbortController();
  const open = person.ask('Really?', '>> ', controller.signal);
  const waiting = person.ask('And this?', '>>> ', controller.signal);
  await until('>> ');
  controller.abort();
  expect(await open).toBeUndefined();
  expect(await waiting).toBeUndefined();
  expect(await person.ask('Late?', '> ', controller.signal)).toBeUndefined();
});

test('nobody can be asked where something is piped in, or written into a file', () => {
  expect(atTerminal({ stdin: false }).maybe).toBeUndefined();
  expect(atTerminal({ stderr: false }).maybe).toBeUndefined();
});

function atTerminal({ stdin: isTyped = true, stderr: isSeen = true } = {}) {
  let written = '';
  const waiting = new Set<() => void>();
  const output = new PassThrough();
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    for (const look of waiting) look();
  });
  const input = Object.assign(new PassThrough(), { isTTY: isTyped, setRawMode: () => {} });
  // The parts of the streams that are used.
  const stderr = Object.assign(output, { isTTY: isSeen }) as unknown as NodeJS.WriteStream;
  const { out, err } = createTerminals({ stdout: stderr, stderr, env: {} });
  const maybe = personAt({ stdin: input as unknown as NodeJS.ReadStream, stderr, err, signal: never });
  return {
    maybe,
    // Where it is not there the test looks at `maybe`.
    person: maybe as NonNullable<typeof maybe>,
    out,
    type: (text: string) => void input.write(text),
    screen: () => written,
    until: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!written.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
