// The contract of a pipe, held by every kind of it.
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  pipeKinds,
  Recorder,
  turns,
  type OtherEnd,
  type PipeEnds,
} from '../../../test/support/channel/pipe-ends.ts';
import { KiB, MiB } from '../../base/units.ts';
import { describeEnding, type Pipe, type PipeOptions } from './pipe.ts';

const everyByte = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');

/** More than any kernel takes at once. */
const eightMiB = numbers(8 * MiB);

describe.each(Object.keys(pipeKinds))('%s', (kind) => {
  const open = async (options?: PipeOptions): Promise<PipeEnds & { reader: Recorder }> => {
    const ends = await pipeKinds[kind]?.(options);
    if (ends === undefined) throw new Error(`no kind ${kind}`);
    onTestFinished(ends.clean);
    return { ...ends, reader: new Recorder(ends.pipe) };
  };

  test('every byte goes both ways, as text and as bytes', async () => {
    const { pipe, other, reader } = await open();
    pipe.write(everyByte);
    pipe.write(Buffer.from(everyByte, 'latin1'));
    pipe.write(new Uint8Array(Buffer.from(everyByte.repeat(200), 'latin1')));
    pipe.write(everyByte.repeat(200));
    pipe.write([everyByte, everyByte.repeat(200), everyByte]);
    pipe.write(everyByte);
    expect(await other.received(256 * 605)).toBe(everyByte.repeat(605));
    other.send(everyByte.repeat(300));
    expect(await reader.received(256 * 300)).toBe(everyByte.repeat(300));
  });

  test('small and large writes keep their order over many ticks', async () => {
    const { pipe, other } = await open();
    let expected = '';
    for (let index = 0; index < 60; index++) {
      const text = `<${index}>`.repeat(index % 7 === 0 ? 9000 : 1 + (index % 3));
      expected += text;
      pipe.write(index % 2 === 0 ? text : Buffer.from(text));
      if (index % 5 === 0) await Promise.resolve();
      if (index % 11 === 0) await turns(1);
      if (!pipe.hasRoom) await pipe.drained();
    }
    expect(await other.received(expected.length)).toBe(expected);
  });

  test('the limits hold: writers are asked to wait, then refused, and go on when the other end reads again', async () => {
    const { pipe, other } = await open({ queueMark: 64 * KiB, queueLimit: 4 * MiB });
    await other.hold();
    const { sent, marked } = fill(pipe);
    // The kernel takes some of it at once, so that only the difference is known.
    expect(marked).toBeGreaterThanOrEqual(64 * KiB);
    expect(Math.abs(sent.length - marked - (4 * MiB - 64 * KiB))).toBeLessThan(32 * KiB);
    expect(pipe.isFull).toBe(true);
    expect(() => pipe.write('x')).toThrow(expect.objectContaining({ code: 'PIPE_FULL' }));

    let drained = false;
    const drain = pipe.drained().then(() => (drained = true));
    await turns();
    expect(drained).toBe(false);
    other.release();
    await drain;
    expect(pipe.hasRoom).toBe(true);
    expect(pipe.isFull).toBe(false);
    pipe.write('and more');
    expect(await other.received(sent.length + 8)).toBe(`${sent}and more`);
  });

  test('a writer that waits is told when the other end is gone', async () => {
    const { pipe, other, reader } = await open({ queueMark: 64 * KiB, queueLimit: 4 * MiB });
    await other.hold();
    fill(pipe);
    const drain = pipe.drained();
    other.vanish();
    await expect(drain).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    expect(() => pipe.write('x')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }));
    await expect(pipe.drained()).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    await reader.ended;
    await pipe.finish();
  });

  test('that nothing more can be sent is told after finish, destroy and the loss of the other end', async () => {
    for (const end of [
      async ({ pipe }: PipeEnds) => void pipe.finish(),
      async ({ pipe }: PipeEnds) => pipe.destroy(),
      async ({ pipe, other }: PipeEnds) => {
        await other.hold();
        fill(pipe);
        other.vanish();
      },
    ]) {
      const ends = await open({ queueMark: 64 * KiB, queueLimit: 4 * MiB });
      let isOver = false;
      const over = ends.pipe.unwritable().then(() => (isOver = true));
      ends.pipe.write('x');
      await ends.other.received(1);
      expect(isOver).toBe(false);
      await end(ends);
      await over;
      await ends.pipe.unwritable();
    }
  });

  test('a writer that waits is told when this end closes', async () => {
    const { pipe, other } = await open({ queueMark: 64 * KiB, queueLimit: 4 * MiB });
    await other.hold();
    fill(pipe);
    const drain = pipe.drained();
    pipe.destroy();
    await expect(drain).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  });

  test('while reading is paused nothing comes and nothing is lost', async () => {
    const { pipe, other, reader } = await open();
    const text = numbers(300 * KiB);
    other.send('first');
    await reader.received(5);
    pipe.pause();
    other.send(text);
    await turns();
    expect(reader.bytes).toBe('first');
    pipe.resume();
    expect(await reader.received(5 + text.length)).toBe(`first${text}`);
  });

  test('reading may be paused and resumed at every chunk', async () => {
    const { pipe, other } = await pipeEnds(kind);
    const text = numbers(500 * KiB);
    let bytes = '';
    const all = new Promise<void>((resolve) => {
      pipe.open({
        data(chunk) {
          bytes += chunk.toString('latin1');
          pipe.pause();
          setImmediate(() => pipe.resume());
          if (bytes.length === text.length) resolve();
        },
        end: () => {},
      });
    });
    other.send(text);
    await all;
    expect(bytes).toBe(text);
  });

  test('the other end may stop sending and go on reading', async () => {
    const { pipe, other, reader } = await open();
    other.send('last words');
    other.endSending();
    expect(await reader.ended).toEqual({ kind: 'ended' });
    expect(reader.bytes).toBe('last words');
    pipe.write('still heard');
    expect(await other.received(11)).toBe('still heard');
    pipe.destroy();
    await turns();
    expect(reader.endings).toHaveLength(1);
  });

  test('finish sends what is queued, then ends the outgoing direction only', async () => {
    const { pipe, other, reader } = await open();
    const text = numbers(2 * MiB);
    pipe.write(text.slice(0, MiB));
    pipe.write(text.slice(MiB));
    pipe.write('end');
    const finished = Promise.all([pipe.finish(), pipe.finish()]);
    expect(() => pipe.write('too late')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }));
    expect(await other.inputOver()).toBe(`${text}end`);
    await finished;
    await pipe.finish();
    other.send('answer');
    expect(await reader.received(6)).toBe('answer');
  });

  test('destroy drops what is queued and tells the reason once', async () => {
    const { pipe, other, reader } = await open();
    await other.hold();
    const text = eightMiB;
    pipe.write(text);
    pipe.destroy();
    expect(reader.endings).toEqual([{ kind: 'closed' }]);
    expect(() => pipe.write('x')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }));
    await expect(pipe.drained()).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    await pipe.finish();
    pipe.destroy();
    await turns();
    other.release();
    expect((await other.inputOver()).length).toBeLessThan(text.length);
    other.endSending();
    await turns();
    expect(reader.endings).toHaveLength(1);
  });

  test('destroy can give another reason', async () => {
    const { pipe, reader } = await open();
    const error = new Error('out of patience');
    pipe.destroy({ kind: 'failed', error });
    expect(await reader.ended).toEqual({ kind: 'failed', error });
  });

  test('after destroy nothing is read any more', async () => {
    const { pipe, other } = await pipeEnds(kind);
    let chunks = 0;
    const ended = new Promise<void>((resolve) => {
      pipe.open({
        data: () => {
          chunks += 1;
          pipe.destroy();
        },
        end: () => resolve(),
      });
    });
    other.send(numbers(MiB));
    await ended;
    await turns();
    expect(chunks).toBe(1);
  });

  async function pipeEnds(kind: string): Promise<{ pipe: Pipe; other: OtherEnd }> {
    const ends = await pipeKinds[kind]?.();
    if (ends === undefined) throw new Error(`no kind ${kind}`);
    onTestFinished(ends.clean);
    return ends;
  }
});

test.each([
  [{ kind: 'closed' }, 'it was closed by this end'],
  [{ kind: 'ended' }, 'the other end closed it'],
  [{ kind: 'exited', exitCode: 3, signal: null }, 'the process exited with code 3'],
  [{ kind: 'exited', exitCode: null, signal: 'SIGKILL' }, 'the process was ended by SIGKILL'],
  [{ kind: 'failed', error: new Error('spawn ENOENT') }, 'spawn ENOENT'],
] as const)('an ending can be told to people: %j', (ending, text) => {
  expect(describeEnding(ending)).toBe(text);
});

/** Writes until the pipe refuses; gives what was taken, and how much that was when it first asked to wait. */
function fill(pipe: Pipe): { sent: string; marked: number } {
  const pieces: string[] = [];
  let size = 0;
  let marked = 0;
  for (let index = 0; ; index++) {
    if (pipe.isFull) return { sent: pieces.join(''), marked };
    const piece = `[${index}]`.padEnd(1 + (index % 20) * 512, '.');
    const hasRoom = pipe.write(piece);
    pieces.push(piece);
    size += piece.length;
    if (!hasRoom && marked === 0) marked = size;
  }
}

/** Text whose every part tells where it belongs. */
function numbers(size: number): string {
  let text = '';
  for (let index = 0; text.length < size; index++) text += `${index} `;
  return text.slice(0, size);
}
