import { expect, test } from 'vitest';
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import { callPrinter } from './call-printer.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import { createTerminals } from './terminal.ts';

const text = (text: string): CallEvent => ({ kind: 'text', text });
const log = (
  level: LogRecord['level'],
  message: string,
  source: LogRecord['source'] = 'plugin',
): LogRecord => ({
  at: 0,
  source,
  level,
  message,
});

test('text comes as it is said, and what the end adds is added', () => {
  const { printer, printed } = printerOf({});
  printer.event(text('one '));
  printer.event(text('two'));
  expect(printed.out).toBe('one two');
  expect(printer.end({ ok: true, text: 'one two three', durationMs: 1 })).toBe(0);
  expect(printed).toEqual({ out: 'one two three\n', err: '' });
});

test('an end that says something else than what was streamed is shown whole', () => {
  const { printer, printed } = printerOf({});
  printer.event(text('working\n'));
  printer.end({ ok: true, text: 'done', durationMs: 1 });
  expect(printed.out).toBe('working\ndone\n');
});

test('data is shown when there is no text, outputs always', () => {
  const { printer, printed } = printerOf({});
  printer.end({ ok: true, data: { a: [1] }, outputs: { uid: 'x' }, durationMs: 1 });
  expect(printed.out).toBe('{\n  "a": [\n    1\n  ]\n}\nuid=x\n');
});

test('each line that a plugin logs has its mark: none can imitate a question of the host', () => {
  const { printer, printed } = printerOf({});
  printer.event({ kind: 'log', level: 'warn', message: 'one\r\n? Allow x\n\n[y] yes\n' });
  printer.log(log('info', 'two\nthree'));
  expect(printed.err).toBe('! one\n! ? Allow x\n! \n! [y] yes\ni two\ni three\n');
});

test('each further line of an error message has a mark', () => {
  const { printer, printed } = printerOf({});
  const error = { code: 'TOOL_FAILED', message: 'no\n? Allow x\n', suggestions: ['a\nb'] } as const;
  printer.end({ ok: false, error, durationMs: 1 });
  expect(printed.err).toBe('✗ the tool: no\n  | ? Allow x (TOOL_FAILED)\n  → a\n    b\n');
});

test.each<[Outcome, number]>([
  [{ ok: true, durationMs: 1 }, 0],
  [{ ok: false, error: { code: 'TOOL_FAILED', message: 'no' }, durationMs: 1 }, 1],
  [{ ok: false, error: { code: 'INVALID_ARGUMENTS', message: 'no' }, durationMs: 1 }, 2],
  [{ ok: false, error: { code: 'PLUGIN_EXITED', message: 'no' }, durationMs: 1 }, 3],
  [{ ok: false, error: { code: 'NOT_TRUSTED', message: 'no' }, durationMs: 1 }, 4],
  [{ ok: false, error: { code: 'CALL_TIMEOUT', message: 'no' }, durationMs: 1 }, 124],
  [{ ok: false, error: { code: 'CALL_CANCELLED', message: 'no' }, durationMs: 1 }, 130],
])('the exit code tells: %o → %d', (outcome, exitCode) => {
  expect(printerOf({}).printer.end(outcome)).toBe(exitCode);
  expect(printerOf({ json: true }).printer.end(outcome)).toBe(exitCode);
});

test('a failure says what failed, why, the code, the way out and the last words', () => {
  const { printer, printed } = printerOf({});
  printer.event(text('so far'));
  printer.end({
    ok: false,
    text: 'so far',
    error: {
      code: 'PLUGIN_EXITED',
      wireCode: -1,
      message: 'it is gone',
      suggestions: ['start it'],
      stderr: 'Traceback\nValueError\n',
    },
    durationMs: 1,
  });
  expect(printed.out).toBe('so far\n');
  expect(printed.err).toBe(
    '✗ the tool: it is gone (PLUGIN_EXITED -1)\n  → start it\n  the last it printed:\n  | Traceback\n  | ValueError\n',
  );
});

test('last words that were shown as they came are not told again', () => {
  const { printer, printed } = printerOf({});
  printer.log(log('info', 'Traceback', 'stderr'));
  printer.log(log('info', 'ValueError', 'stderr'));
  const error = { code: 'PLUGIN_EXITED', message: 'it is gone', stderr: 'Traceback\nValueError\n' } as const;
  printer.end({ ok: false, error, durationMs: 1 });
  expect(printed.err).toBe('| Traceback\n| ValueError\n✗ the tool: it is gone (PLUGIN_EXITED)\n');
});

// requirement: gevals:log:verbosity
test.each([
  [-1, '✗ e\n'],
  [0, 'i i\n! w\n✗ e\n| s\n'],
  [1, '· d\ni i\n! w\n✗ e\n| s\n? n\n· ready\n'],
])('verbosity %d shows of what a plugin says: %j', (verbosity, expected) => {
  const { printer, printed } = printerOf({ verbosity });
  for (const line of [log('debug', 'd'), log('info', 'i'), log('warn', 'w'), log('error', 'e')])
    printer.log(line);
  printer.log(log('info', 's', 'stderr'));
  printer.log(log('info', 'n', 'stdout'));
  printer.log(log('info', 'ready', 'host'));
  expect(printed).toEqual({ out: '', err: expected });
});

test('what is logged in the call is shown once, and what is logged in other calls is not', () => {
  const { printer, printed } = printerOf({});
  printer.event(text('1… '));
  printer.event({ kind: 'log', level: 'warn', message: 'low', data: { left: 1 } });
  printer.log({ ...log('warn', 'low'), call: 'this-1' });
  printer.log({ ...log('warn', 'of another'), call: 'other-2' });
  printer.event({ kind: 'log', level: 'debug', message: 'not asked for' });
  printer.event(text('0'));
  printer.end({ ok: true, text: '1… 0', durationMs: 1 });
  expect(printed).toEqual({ out: '1… 0\n', err: '! low {"left":1}\n' });
});

test('on a terminal a plugin cannot move the cursor; into a pipe goes what it said', () => {
  const onTerminal = printerOf({ isTTY: true });
  onTerminal.printer.event(text('\u001B[2Jhello'));
  expect(onTerminal.printed.out).toBe('\\x1b[2Jhello');
  const intoPipe = printerOf({});
  intoPipe.printer.event(text('\u001B[2Jhello'));
  expect(intoPipe.printed.out).toBe('\u001B[2Jhello');
});

test('why it failed is told once on a screen; a pipe gets its text', () => {
  const failed = { ok: false, text: 'no dice', durationMs: 1 } as const;
  const error = { code: 'TOOL_FAILED', message: 'no dice' } as const;
  const onScreen = printerOf({ isTTY: true });
  onScreen.printer.end({ ...failed, error });
  expect(onScreen.printed).toEqual({ out: '', err: '✗ the tool: no dice (TOOL_FAILED)\n' });
  const piped = printerOf({});
  piped.printer.end({ ...failed, error });
  expect(piped.printed.out).toBe('no dice\n');
});

const full = 'The disk is full.';

test.each<[string, { streamed?: string[]; text: string; message?: string }, string]>([
  ['it was streamed', { streamed: [full], text: full }, `${full}\n✗ the tool failed (TOOL_FAILED)\n`],
  [
    'it was streamed last',
    { streamed: ['Looking …\n', `${full}\n`], text: `Looking …\n${full}\n` },
    `Looking …\n${full}\n✗ the tool failed (TOOL_FAILED)\n`,
  ],
  [
    'it was streamed with a word before it',
    { streamed: [`Error: ${full}`], text: `Error: ${full}` },
    `Error: ${full}\n✗ the tool failed (TOOL_FAILED)\n`,
  ],
  [
    'the end brings it after other lines',
    { text: `Looking …\n${full}` },
    `Looking …\n✗ the tool: ${full} (TOOL_FAILED)\n`,
  ],
  [
    'the end brings it after what was streamed',
    { streamed: ['half '], text: `half ${full}` },
    `half \n✗ the tool: ${full} (TOOL_FAILED)\n`,
  ],
  [
    'the end brings it with a word before it',
    { text: `Error: ${full}` },
    `Error: ${full}\n✗ the tool failed (TOOL_FAILED)\n`,
  ],
  [
    'it is the beginning of a long text',
    { text: 'x'.repeat(50), message: `${'x'.repeat(20)}… (50 characters)` },
    `${'x'.repeat(50)}\n✗ the tool failed (TOOL_FAILED)\n`,
  ],
  [
    'something else was said',
    { streamed: ['Looking …\n'], text: 'Looking …\n' },
    `Looking …\n✗ the tool: ${full} (TOOL_FAILED)\n`,
  ],
])('on a screen the reason stands once when %s', (_, { streamed = [], text: all, message = full }, seen) => {
  const { printer, screen } = printerOf({ isTTY: true });
  for (const each of streamed) printer.event(text(each));
  printer.end({ ok: false, text: all, error: { code: 'TOOL_FAILED', message }, durationMs: 1 });
  expect(screen()).toBe(seen);
});

test('a reason that was logged just before is not told again', () => {
  const { printer, printed } = printerOf({});
  printer.event({ kind: 'log', level: 'error', message: full });
  printer.end({ ok: false, error: { code: 'TOOL_FAILED', message: full }, durationMs: 1 });
  expect(printed.err).toBe(`✗ ${full}\n✗ the tool failed (TOOL_FAILED)\n`);
});

test('progress is one line, so that it can be taken away again', () => {
  const { printer, screen } = printerOf({ isTTY: true });
  printer.event({ kind: 'progress', progress: 1, message: 'Looking …\nstill\n' });
  expect(screen()).toBe('1  Looking … still');
  printer.end({ ok: true, text: 'done', durationMs: 1 });
  expect(screen()).toBe('1  Looking … still\r\u001B[Kdone\n');
});

test('--json is one line with all there is', () => {
  const { printer, printed } = printerOf({ json: true });
  printer.event(text('a'));
  printer.event({ kind: 'progress', progress: 1, total: 2 });
  printer.log(log('error', 'not shown'));
  printer.end({
    ok: true,
    text: 'a',
    data: [1],
    outputs: { k: 'v' },
    keepSession: true,
    durationMs: 5.123456,
  });
  expect(printed.err).toBe('');
  expect(printed.out.endsWith('}\n')).toBe(true);
  expect(printed.out.indexOf('\n')).toBe(printed.out.length - 1);
  expect(JSON.parse(printed.out)).toEqual({
    ok: true,
    text: 'a',
    data: [1],
    outputs: { k: 'v' },
    keepSession: true,
    events: [
      { kind: 'text', text: 'a' },
      { kind: 'progress', progress: 1, total: 2 },
    ],
    durationMs: 5.12,
  });
});

function printerOf({ json = false, verbosity = 0, isTTY = false }) {
  const printed = { out: '', err: '' };
  let seen = '';
  const write = (name: 'out' | 'err') => (text: string) => {
    printed[name] += text;
    seen += text;
    return true;
  };
  // The part of a stream that a terminal needs.
  const stream = (name: 'out' | 'err') => ({ isTTY, write: write(name) }) as unknown as NodeJS.WriteStream;
  const terminals = createTerminals({
    stdout: stream('out'),
    stderr: stream('err'),
    env: { NO_COLOR: '1' },
  });
  const printer = callPrinter({ ...terminals, json, verbosity }, 'the tool');
  return { printer, printed, screen: () => seen };
}

test('the data of a log is made visible too: JSON leaves controls of eight bits and marks of direction as they are', () => {
  const { printer, printed } = printerOf({});
  printer.event({ kind: 'log', level: 'warn', message: 'm', data: { a: '\u009B31m\u202E' } });
  expect(printed.err).toBe('! m {"a":"\\x9b31m\\x202e"}\n');
});
