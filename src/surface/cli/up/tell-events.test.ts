import { expect, test } from 'vitest';
import { PluglotError } from '../../../base/error.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { CommandContext } from '../commands/context.ts';
import { createTerminals } from '../terminal.ts';
import { eventTeller } from './tell-events.ts';

type State = Extract<FleetEvent, { kind: 'state-changed' }>['state'];

test('what a plugin says with every try to start it is told once, until it has started', () => {
  const { tell, printed } = teller();
  const attempt = () => {
    tell(changed('starting'));
    tell(said('Error: no store'));
    tell(changed('backoff', 'It exited with code 1.'));
  };
  for (let tried = 0; tried < 3; tried += 1) attempt();
  expect(printed()).toBe('dice | Error: no store\ndice backoff: It exited with code 1.\n');
  tell(changed('starting'));
  tell(said('Error: another one'));
  tell(changed('failed', 'It failed too often.'));
  expect(printed()).toBe('dice | Error: another one\ndice failed: It failed too often.\n');
  tell(changed('ready'));
  attempt();
  expect(printed()).toBe('dice ready\ndice | Error: no store\ndice backoff: It exited with code 1.\n');
});

test('what a plugin that runs says again is told again', () => {
  const { tell, printed } = teller();
  for (const state of ['starting', 'ready'] as const) tell(changed(state));
  for (let beat = 0; beat < 2; beat += 1) tell(said('tick'));
  expect(printed()).toBe('dice ready\ndice | tick\ndice | tick\n');
});

test('that one was stopped which is stopped is not told twice', () => {
  const { tell, printed } = teller();
  tell(changed('stopped', 'Plugin "dice" was stopped.'));
  expect(printed()).toBe('dice stopped\n');
});

test('-v and --json tell all of it', () => {
  for (const more of [{ verbosity: 1 }, { json: true }]) {
    const { tell, printed } = teller(more);
    for (let tried = 0; tried < 2; tried += 1) {
      tell(changed('starting'));
      tell(changed('backoff', 'no'));
    }
    expect(printed().match(/backoff/g)).toHaveLength(2);
  }
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

function teller(more: Partial<CommandContext> = {}) {
  let written = '';
  // The part of a stream that a terminal needs.
  const stream = { write: (text: string) => (written += text) !== '' } as unknown as NodeJS.WriteStream;
  const terminals = createTerminals({ stdout: stream, stderr: stream, env: { NO_COLOR: '1' } });
  const context = { ...terminals, json: false, verbosity: 0, ...more } as CommandContext;
  const tell = eventTeller(context);
  return {
    tell: (event: FleetEvent) => tell(event, false),
    /** Since the last time. */
    printed: () => {
      const before = written;
      written = '';
      return before;
    },
  };
}
