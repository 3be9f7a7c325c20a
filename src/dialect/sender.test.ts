import { describe, expect, test } from 'vitest';
import { PluglotError, type ErrorCode } from '../base/error.ts';
import { DroppingSender, QueuedSender, type SizedNotification } from './sender.ts';

describe('a queued sender', () => {
  test('while there is room, notifications go out at once', () => {
    const { sender, sent } = openQueue();
    sender.send(note('a'));
    expect(sender.offer(note('b'))).toBe(true);
    expect(sent).toEqual(['a', 'b']);
  });

  test('without room they wait in order, and drained() resolves when there is room again', async () => {
    const { sender, sent, wire } = openQueue();
    wire.hasRoom = false;
    for (const text of ['a', 'b', 'c']) sender.send(note(text));
    expect(sent).toEqual(['a']);
    const drained = sender.drained();
    wire.hasRoom = true;
    wire.drain();
    await drained;
    expect(sent).toEqual(['a', 'b', 'c']);
    await sender.drained();
  });

  test('a notification that did not fit is tried again first', async () => {
    const { sender, sent, wire } = openQueue();
    wire.failure = 'PIPE_FULL';
    sender.send(note('a'));
    sender.send(note('b'));
    expect(sent).toEqual([]);
    wire.failure = undefined;
    wire.drain();
    await sender.drained();
    expect(sent).toEqual(['a', 'b']);
  });

  test('at the limit offers are dropped, and what has to be sent is kept', async () => {
    const { sender, sent, wire } = openQueue(10);
    wire.hasRoom = false;
    sender.send(note('goes out'));
    expect(sender.offer(note('12345678901'))).toBe(true);
    expect(sender.offer(note('too much'))).toBe(false);
    sender.send(note('end'));
    wire.hasRoom = true;
    wire.drain();
    await sender.drained();
    expect(sent).toEqual(['goes out', '12345678901', 'end']);
    expect(sender.offer(note('again'))).toBe(true);
  });

  test('what can never be sent is dropped, and drained() does not wait for a pipe that has ended', async () => {
    const { sender, sent, wire } = openQueue();
    wire.failure = 'UNENCODABLE';
    sender.send(note('a'));
    wire.failure = undefined;
    wire.hasRoom = false;
    sender.send(note('b'));
    sender.send(note('c'));
    wire.failure = 'PIPE_ENDED';
    wire.end();
    await sender.drained();
    expect(sent).toEqual(['b']);
  });
});

describe('a dropping sender', () => {
  test('while the host does not read, notifications are dropped, and their number is reported first when it does', () => {
    const { sender, sent, fail } = openDropping();
    sender.send(notice(1));
    fail('PIPE_FULL');
    sender.send(notice(2));
    sender.send(notice(3));
    fail(undefined);
    sender.send(notice(4));
    sender.send(notice(5));
    expect(sent).toEqual([1, 'lost 2', 4, 5]);
  });

  test('after the end of the pipe nothing is sent and nothing is thrown', () => {
    const { sender, sent, fail } = openDropping();
    fail('PIPE_ENDED');
    sender.send(notice(1));
    sender.send(notice(2));
    expect(sent).toEqual([]);
  });

  test('what can never be sent throws', () => {
    const { sender, fail } = openDropping();
    fail('UNENCODABLE');
    expect(() => sender.send(notice(1))).toThrow('no');
  });
});

function note(text: string): SizedNotification {
  return { method: 'stream', params: { text }, size: text.length };
}

/** A pipe whose room and failures the test sets. */
function openQueue(limit?: number) {
  const sent: string[] = [];
  const wire = {
    hasRoom: true,
    failure: undefined as ErrorCode | undefined,
    drain: () => {},
    end: () => {},
  };
  const sender = new QueuedSender(
    {
      notify(_, params) {
        if (wire.failure !== undefined) throw new PluglotError(wire.failure, 'on purpose');
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
  return { sender, sent, wire };
}

function notice(params: unknown) {
  return { method: 'said', params };
}

function openDropping() {
  const sent: unknown[] = [];
  let failure: ErrorCode | undefined;
  const notify = (_: string, params: unknown) => {
    if (failure !== undefined) throw new PluglotError(failure, 'no');
    sent.push(params);
    return true;
  };
  const sender = new DroppingSender({ notify }, (count) => notice(`lost ${count}`));
  return { sender, sent, fail: (code: ErrorCode | undefined) => void (failure = code) };
}
