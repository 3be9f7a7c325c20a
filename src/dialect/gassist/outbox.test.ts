import { expect, test } from 'vitest';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import { Outbox, type Notification } from './outbox.ts';

test('while there is room, what is sent is sent at once', () => {
  const { outbox, sent } = open();
  outbox.send(note('a'));
  expect(outbox.offer(note('b'))).toBe(true);
  expect(sent).toEqual(['a', 'b']);
});

test('when there is none, all waits in its order, and those who ask are told when there is room again', async () => {
  const { outbox, sent, wire } = open();
  wire.hasRoom = false;
  for (const text of ['a', 'b', 'c']) outbox.send(note(text));
  expect(sent).toEqual(['a']);
  const drained = outbox.drained();
  wire.hasRoom = true;
  wire.drain();
  await drained;
  expect(sent).toEqual(['a', 'b', 'c']);
  await outbox.drained();
});

test('what did not fit is the first to be tried again', async () => {
  const { outbox, sent, wire } = open();
  wire.failure = 'PIPE_FULL';
  outbox.send(note('a'));
  outbox.send(note('b'));
  expect(sent).toEqual([]);
  wire.failure = undefined;
  wire.drain();
  await outbox.drained();
  expect(sent).toEqual(['a', 'b']);
});

test('at the limit what is offered is dropped, and what has to be sent is kept', async () => {
  const { outbox, sent, wire } = open(10);
  wire.hasRoom = false;
  outbox.send(note('goes out'));
  expect(outbox.offer(note('12345678901'))).toBe(true);
  expect(outbox.offer(note('too much'))).toBe(false);
  outbox.send(note('end'));
  wire.hasRoom = true;
  wire.drain();
  await outbox.drained();
  expect(sent).toEqual(['goes out', '12345678901', 'end']);
  expect(outbox.offer(note('again'))).toBe(true);
});

test('what the pipe refuses for good is dropped, and nobody waits for a pipe that is over', async () => {
  const { outbox, sent, wire } = open();
  wire.failure = 'UNENCODABLE';
  outbox.send(note('a'));
  wire.failure = undefined;
  wire.hasRoom = false;
  outbox.send(note('b'));
  outbox.send(note('c'));
  wire.failure = 'PIPE_ENDED';
  wire.end();
  await outbox.drained();
  expect(sent).toEqual(['b']);
});

function note(text: string): Notification {
  return { method: 'stream', params: { text }, size: text.length };
}

/** A wire that has room, or not, or fails, as the test says. */
function open(limit?: number) {
  const sent: string[] = [];
  const wire = {
    hasRoom: true,
    failure: undefined as ErrorCode | undefined,
    drain: () => {},
    end: () => {},
  };
  const outbox = new Outbox(
    {
      notify(_, params) {
        if (wire.failure !== undefined) throw new PluglotError(wire.failure, 'as told');
        sent.push((params as { text: string }).text);
        return wire.hasRoom;
      },
      drained: () =>
        new Promise((resolve, reject) => {
          wire.drain = resolve;
          wire.end = () => reject(new Error('over'));
        }),
    },
    limit,
  );
  return { outbox, sent, wire };
}
