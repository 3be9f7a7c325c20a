import { expect, test } from 'vitest';
import { createTerminals } from './terminal.ts';

test('pipes get plain lines and no progress', () => {
  const { out, err, written } = terminals({});
  err.progress('working');
  out.text('some text');
  err.line(err.colours.red('red'));
  out.line('line');
  out.clear();
  expect(written()).toEqual(['out: some text', 'err: red\n', 'out: \nline\n']);
  expect(out.columns).toBe(80);
});

test('a person gets colours, and progress that makes room for what comes next', () => {
  const { out, err, written } = terminals({ isTTY: true, columns: 120 });
  err.progress('working');
  out.line(out.colours.red('red'));
  err.progress('still');
  err.clear();
  err.clear();
  expect(written()).toEqual([
    'err: \u001B[2mworking\u001B[22m',
    'out: \r\u001B[K\u001B[31mred\u001B[39m\n',
    'err: \u001B[2mstill\u001B[22m',
    'err: \r\u001B[K',
  ]);
  expect(out.columns).toBe(120);
});

test('what is piped finds no progress in the line that it may be shown in', () => {
  const { out, err, written } = terminals({}, {}, { isTTY: true });
  err.progress('asking');
  out.line('TOOL');
  out.line('roll');
  expect(written()).toEqual([
    'err: \u001B[2masking\u001B[22m',
    'err: \r\u001B[K',
    'out: TOOL\n',
    'out: roll\n',
  ]);
});

test('on one screen, what is no text begins a line of its own', () => {
  const { out, err, written } = terminals({ isTTY: true });
  out.text('3… ');
  err.line('a log');
  out.text('2… ');
  err.progress('half');
  out.text('1');
  out.endLine();
  out.endLine();
  expect(written().map((text) => text.replaceAll('\u001B[2m', '').replaceAll('\u001B[22m', ''))).toEqual([
    'out: 3… ',
    'err: \na log\n',
    'out: 2… ',
    'err: \nhalf',
    'out: \r\u001B[K1',
    'out: \n',
  ]);
});

test('progress that is too long is cut, so that it can be taken away', () => {
  const { err, written } = terminals({ isTTY: true, columns: 10 });
  err.progress('0123456789012345');
  expect(written()).toEqual(['err: \u001B[2m01234567…\u001B[22m']);
});

test('progress cannot move the cursor, whatever a name in it is', () => {
  const { err, written } = terminals({ isTTY: true });
  err.progress('looking for a\u001B[2Jb\nc\u202E …');
  expect(written()).toEqual(['err: \u001B[2mlooking for a\\x1b[2Jb c\\x202e …\u001B[22m']);
});

test('while somebody is asked, what is written to the screen waits, and comes in its order', () => {
  const { out, err, written } = terminals({ isTTY: true });
  out.text('half a');
  const release = err.hold();
  const releaseOther = err.hold();
  out.text(' line');
  err.line('a log');
  err.progress('never seen');
  out.endLine();
  expect(written()).toEqual(['out: half a', 'err: \n']);
  release();
  expect(written()).toHaveLength(2);
  releaseOther();
  expect(written().slice(2)).toEqual(['out:  line', 'err: \na log\n']);
});

test('what is too much to be kept is counted', () => {
  const { out, err, written } = terminals({ isTTY: true });
  const release = err.hold();
  for (let count = 0; count < 20; count += 1) out.line('x'.repeat(100_000));
  release();
  expect(written()).toHaveLength(11);
  expect(written().at(-1)).toBe('err: … and 10 more that came meanwhile.\n');
});

test('a question does not keep back what goes into a file', () => {
  const written: string[] = [];
  const stream = (isTTY: boolean, name: string) =>
    // The part of a stream that a terminal needs.
    ({ isTTY, write: (text: string) => written.push(`${name}: ${text}`) }) as unknown as NodeJS.WriteStream;
  const { out, err } = createTerminals({
    stdout: stream(false, 'out'),
    stderr: stream(true, 'err'),
    env: {},
  });
  const release = err.hold();
  out.line('a result');
  err.line('a log');
  expect(written).toEqual(['out: a result\n']);
  release();
  expect(written).toEqual(['out: a result\n', 'err: a log\n']);
});

test.each([
  [{ NO_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{}, true, true],
])('%o on a terminal: %s → colours: %s', (env, isTTY, coloured) => {
  expect(terminals({ isTTY }, env).out.colours.isColorSupported).toBe(coloured);
});

interface Properties {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

function terminals(properties: Properties, env: NodeJS.ProcessEnv = {}, ofErr = properties) {
  const written: string[] = [];
  // The part of a stream that a terminal needs.
  const stream = (name: string, own = properties) =>
    ({
      ...own,
      write: (text: string) => written.push(`${name}: ${text}`) > 0,
    }) as unknown as NodeJS.WriteStream;
  const made = createTerminals({ stdout: stream('out'), stderr: stream('err', ofErr), env });
  return { ...made, written: () => written };
}

test('what is pinned stays below what is written, is shown anew in its place, and stays when it is let go', () => {
  const { out, err, written } = terminals({ isTTY: true });
  out.pin(['one', 'two']);
  err.line('a log');
  err.progress('is not shown');
  out.pin(['one', 'done']);
  out.pin(undefined);
  out.line('after');
  expect(written()).toEqual([
    'out: one\ntwo\n',
    'err: \u001B[2A\u001B[Ja log\none\ntwo\n',
    'out: \u001B[2A\u001B[Jone\ndone\n',
    'out: after\n',
  ]);
});

test('nothing is pinned where nobody watches', () => {
  const { out, written } = terminals({});
  out.pin(['one']);
  out.pin(undefined);
  expect(written()).toEqual([]);
});
