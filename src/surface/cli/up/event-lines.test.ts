import { describe, expect, test } from 'vitest';
import { PluglotError } from '../../../base/error.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { Question } from '../../../gate/approval/approver.ts';
import type { CommandContext } from '../context.ts';
import { createTerminals } from '../terminal.ts';
import { widthOf } from '../table.ts';
import { eventPrinter, questionPrinter } from './event-lines.ts';

type State = Extract<FleetEvent, { kind: 'state-changed' }>['state'];

test('what a plugin says with every try to start it is told once, until it has started', () => {
  const { show, printed } = teller();
  const attempt = () => {
    show(changed('starting'));
    show(said('Error: no store'));
    show(changed('backoff', 'It exited with code 1.'));
  };
  for (let tried = 0; tried < 3; tried += 1) attempt();
  expect(printed()).toBe('dice | Error: no store\ndice backoff: It exited with code 1.\n');
  show(changed('starting'));
  show(said('Error: another one'));
  show(changed('failed', 'It failed too often.'));
  expect(printed()).toBe('dice | Error: another one\ndice failed: It failed too often.\n');
  show(changed('ready'));
  attempt();
  expect(printed()).toBe('dice ready\ndice | Error: no store\ndice backoff: It exited with code 1.\n');
});

test('what a plugin that runs says again is told again', () => {
  const { show, printed } = teller();
  for (const state of ['starting', 'ready'] as const) show(changed(state));
  for (let beat = 0; beat < 2; beat += 1) show(said('tick'));
  expect(printed()).toBe('dice ready\ndice | tick\ndice | tick\n');
});

test('that one was stopped which is stopped is not told twice', () => {
  const { show, printed } = teller();
  show(changed('stopped', 'Plugin "dice" was stopped.'));
  expect(printed()).toBe('dice stopped\n');
});

test('-v and --json show all of it', () => {
  for (const more of [{ verbosity: 1 }, { json: true }]) {
    const { show, printed } = teller(more);
    for (let tried = 0; tried < 2; tried += 1) {
      show(changed('starting'));
      show(changed('backoff', 'no'));
    }
    expect(printed().match(/backoff/g)).toHaveLength(2);
  }
});

describe('on a terminal, no row begins with what a plugin says', () => {
  const columns = 40;
  const forged = '? client x wants to call y';
  const fillers = {
    spaces: ' ',
    letters: 'a',
    wide: '字',
    'combining marks': 'e\u0301',
    tabs: '\t',
    boxes: '━',
  };

  test.each(Object.entries(fillers))('with %s before it', (_, filler) => {
    for (let count = 1; count < 2 * columns; count += 1) {
      const { show, printed } = teller({}, columns);
      const text = `a${filler.repeat(count)}${forged}`;
      show(said(text));
      show(changed('failed', text));
      const rows = printed().trimEnd().split('\n');
      const first = rows.findIndex((row) => row.startsWith('dice failed: '));
      expect(rows.slice(0, first).every((row) => row.startsWith('dice | '))).toBe(true);
      expect(rows.slice(first + 1).every((row) => row.startsWith('  | '))).toBe(true);
      expect(rows.every((row) => widthOf(row) < columns)).toBe(true);
      const logged = rows.slice(0, first).map((row) => row.slice('dice | '.length));
      expect(logged.join('')).toBe(text);
    }
  });

  test('nor with what a client says', () => {
    const { context, printed } = teller({}, columns);
    const caller = { kind: 'client', name: `x${'\u2800'.repeat(30)}${forged}` } as const;
    // What the line is made of.
    const question = { id: '1', tool: 't'.repeat(90), caller } as Question;
    questionPrinter(context, 'http://here')([question]);
    const [head, ...rows] = printed().trimEnd().split('\n');
    expect(head).toMatch(/^\? client "x/);
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.every((row) => row.startsWith('  | '))).toBe(true);
    expect(rows.at(-1)).toMatch(/[.] Allow or deny it: http:\/\/here$/);
  });

  test('after the window was resized too', () => {
    const size = { columns: 200 };
    const { show, printed } = teller({}, size);
    size.columns = columns;
    show(said('a'.repeat(100)));
    expect(
      printed()
        .split('\n')
        .every((row) => row.length < columns),
    ).toBe(true);
  });

  test('elsewhere lines stay as they are', () => {
    const { show, printed } = teller();
    show(said('a'.repeat(500)));
    expect(printed()).toBe(`dice | ${'a'.repeat(500)}\n`);
  });
});

function changed(state: State, reason?: string): FleetEvent {
  const why = reason === undefined ? {} : { reason: new PluglotError('PLUGIN_EXITED', reason) };
  return { kind: 'state-changed', plugin: 'dice', state, previous: 'stopped', at: 0, ...why };
}

function said(message: string): FleetEvent {
  return {
    kind: 'logged',
    plugin: 'dice',
    entry: { seq: 1, at: 0, source: 'stderr', level: 'info', message },
  };
}

function teller(more: Partial<CommandContext> = {}, size?: number | { columns: number }) {
  let written = '';
  // The part of a stream that a terminal needs.
  const stream = {
    write: (text: string) => (written += text) !== '',
    isTTY: size !== undefined,
    get columns() {
      return typeof size === 'object' ? size.columns : size;
    },
  } as unknown as NodeJS.WriteStream;
  const terminals = createTerminals({ stdout: stream, stderr: stream, env: { NO_COLOR: '1' } });
  const context = { ...terminals, json: false, verbosity: 0, ...more } as CommandContext;
  const show = eventPrinter(context);
  return {
    context,
    show: (event: FleetEvent) => show(event, false),
    /** Since the last time. */
    printed: () => {
      const before = written;
      written = '';
      return before;
    },
  };
}
