import { describe, expect, test } from 'vitest';
import { deferred } from '../base/async.ts';
import type { LogEntry } from '../definition/tool.ts';
import { Prints } from './prints.ts';

describe('what is printed', () => {
  test('is logged line by line, at the level of its stream', () => {
    const { prints, taken } = taking();
    const info = prints.stream('info');
    const warn = prints.stream('warn');
    info.write('one\ntw');
    warn.write('careful\r\n');
    info.write('o\n\n');
    info.write(Buffer.from('€').subarray(0, 1));
    info.write(Buffer.from('€').subarray(1));
    expect(taken).toEqual([
      { level: 'info', message: 'one' },
      { level: 'warn', message: 'careful' },
      { level: 'info', message: 'two' },
    ]);
    prints.flush();
    expect(taken.at(-1)).toEqual({ level: 'info', message: '€' });
  });

  test('in a line without end is logged in pieces', () => {
    const { prints, taken } = taking();
    prints.stream('info').write('x'.repeat(40_000));
    prints.flush();
    expect(taken.map(({ message }) => message.length)).toEqual([16_384, 16_384, 7232]);
  });

  test('before anybody takes it waits, up to a limit', () => {
    const prints = new Prints();
    prints.stream('info').write('line\n'.repeat(1500));
    const taken: LogEntry[] = [];
    prints.handTo({
      log: (entry) => taken.push(entry),
      hasRoom: () => true,
      drained: () => Promise.resolve(),
    });
    expect(taken).toHaveLength(1001);
    expect(taken.at(-1)?.message).toBe('500 more lines were printed than the host read; they are lost.');
  });

  test('by the taker itself comes after what it takes', () => {
    const prints = new Prints();
    const stream = prints.stream('debug');
    const taken: string[] = [];
    const log = ({ message }: LogEntry) => {
      if (message === 'a') stream.write('from the taker\n');
      taken.push(message);
    };
    prints.handTo({ log, hasRoom: () => true, drained: () => Promise.resolve() });
    stream.write('a\nb\n');
    expect(taken).toEqual(['a', 'b', 'from the taker']);
  });

  test('while the host does not read waits for it', async () => {
    const prints = new Prints();
    const taken: string[] = [];
    const room = deferred<void>();
    let hasRoom = false;
    prints.handTo({
      log: ({ message }) => taken.push(message),
      hasRoom: () => hasRoom,
      drained: () => room.promise,
    });
    prints.stream('info').write('a\nb\n');
    expect(taken).toEqual([]);
    hasRoom = true;
    room.resolve();
    await room.promise;
    expect(taken).toEqual(['a', 'b']);
  });

  test('and cannot be told any more is dropped', () => {
    const prints = new Prints();
    const log = () => {
      throw new Error('the pipe has ended');
    };
    prints.handTo({ log, hasRoom: () => true, drained: () => Promise.resolve() });
    expect(() => prints.stream('info').write('a\nb\n')).not.toThrow();
  });
});

function taking() {
  const prints = new Prints();
  const taken: LogEntry[] = [];
  prints.handTo({ log: (entry) => taken.push(entry), hasRoom: () => true, drained: () => Promise.resolve() });
  return { prints, taken };
}
