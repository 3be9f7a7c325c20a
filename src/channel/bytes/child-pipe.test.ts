import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Recorder, turns } from '../../../test/support/channel/pipe-ends.ts';
import { MiB } from '../../base/units.ts';
import { childPipe } from './child-pipe.ts';
import type { Pipe } from './pipe.ts';

const MISSING_PROGRAM = 'pluglot-no-such-program';

describe('a child that ends', () => {
  test('by itself is told with its code, after its last words', async () => {
    const reader = new Recorder(childPipe(program(`process.stdout.write('bye'); process.exitCode = 3;`)));
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 3, signal: null });
    expect(reader.bytes).toBe('bye');
  });

  test('by a signal is told with the signal', async () => {
    const reader = new Recorder(
      childPipe(program(`process.stdout.write('x'); process.kill(process.pid, 'SIGKILL');`)),
    );
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: null, signal: 'SIGKILL' });
  });

  test('is told with its code even to a reader that comes later', async () => {
    const child = program(`process.stdout.write('x'.repeat(100_000)); process.exitCode = 4;`);
    const pipe = childPipe(child);
    await once(child, 'exit');
    const reader = new Recorder(pipe);
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 4, signal: null });
    expect(reader.bytes).toHaveLength(100_000);
  });

  test('while reading is paused is read when that goes on', async () => {
    const child = program(`process.stdout.write('x'.repeat(100_000)); process.exitCode = 4;`);
    const pipe = childPipe(child);
    const reader = new Recorder(pipe);
    pipe.pause();
    await once(child, 'exit');
    await turns();
    expect(reader.bytes).toBe('');
    pipe.resume();
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 4, signal: null });
    expect(reader.bytes).toHaveLength(100_000);
  });

  test('after a flood is read to its last byte', async () => {
    const child = program(
      `process.stdout.write('x'.repeat(${4 * MiB})); process.stdout.write('end', () => process.exit(0));`,
    );
    const reader = new Recorder(childPipe(child));
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 0, signal: null });
    expect(reader.bytes).toHaveLength(4 * MiB + 3);
    expect(reader.bytes.endsWith('xend')).toBe(true);
  });

  test('and read its input no more, is heard all the same', async () => {
    const child = program(`
      require('node:fs').closeSync(0);
      process.stdout.write('x'.repeat(300_000));
      process.send('done', () => process.disconnect());
    `);
    const pipe = childPipe(child);
    pipe.pause();
    const reader = new Recorder(pipe);
    await once(child, 'message');
    expect(await writeUntilItFails(pipe)).toMatchObject({ code: 'PIPE_ENDED', cause: { code: 'EPIPE' } });
    expect(reader.bytes).toBe('');
    pipe.resume();
    await reader.ended;
    expect(reader.bytes).toHaveLength(300_000);
  });
});

describe('a program that does not exist', () => {
  test('is a failure with the reason', async () => {
    const pipe = childPipe(spawn(MISSING_PROGRAM, { stdio: ['pipe', 'pipe', 'inherit'] }));
    const reader = new Recorder(pipe);
    expect(await reader.ended).toMatchObject({ kind: 'failed', error: { code: 'ENOENT' } });
    await pipe.finish();
    await turns();
    expect(reader.endings).toHaveLength(1);
  });

  test('is one as well to a reader that comes later', async () => {
    const child = spawn(MISSING_PROGRAM, { stdio: ['pipe', 'pipe', 'inherit'] });
    const pipe = childPipe(child);
    await new Promise((resolve) => child.once('close', resolve));
    expect(await new Recorder(pipe).ended).toMatchObject({ kind: 'failed', error: { code: 'ENOENT' } });
  });

  test('writes to it fail', async () => {
    const pipe = childPipe(spawn(MISSING_PROGRAM, { stdio: ['pipe', 'pipe', 'inherit'] }), {
      queueMark: 1,
    });
    const reader = new Recorder(pipe);
    pipe.write('x');
    await expect(pipe.drained()).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    await reader.ended;
  });
});

describe('a grandchild that holds stdout open', () => {
  test.each([
    ['silent', `setInterval(() => {}, 1000);`],
    ['printing without end', `setInterval(() => process.stdout.write('tick'), 10);`],
  ])('does not put off the ending: %s', async (_, source) => {
    const child = program(`
      const { spawn } = require('node:child_process');
      process.stdout.write('mine');
      const { pid } = spawn(process.execPath, ['-e', ${JSON.stringify(source)}], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
      process.send(pid, () => process.exit(5));
    `);
    const pipe = childPipe(child);
    const reader = new Recorder(pipe);
    const [pid] = (await once(child, 'message')) as [number];
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 5, signal: null });
    expect(reader.bytes.startsWith('mine')).toBe(true);
    const { length } = reader.bytes;
    pipe.destroy();
    await turns();
    expect(reader.bytes).toHaveLength(length);
    expect(reader.endings).toHaveLength(1);
  });
});

describe('exit and the end of stdout wait for each other', () => {
  test('the exit comes first', () => {
    const { child, reader, exit } = fake();
    exit(0);
    expect(reader.endings).toEqual([]);
    child.stdout.end('late');
    return expect(reader.ended.then(() => [reader.bytes, reader.endings])).resolves.toEqual([
      'late',
      [{ kind: 'exited', exitCode: 0, signal: null }],
    ]);
  });

  test('the end of stdout comes first', async () => {
    const { child, reader, exit } = fake();
    child.stdout.end();
    await once(child.stdout, 'end');
    expect(reader.endings).toEqual([]);
    exit(7);
    expect(reader.endings).toEqual([{ kind: 'exited', exitCode: 7, signal: null }]);
  });

  test('without an exit the end of stdout is an end', async () => {
    const { child, reader } = fake();
    child.stdout.end();
    await once(child.stdout, 'end');
    vi.advanceTimersByTime(1000);
    expect(reader.endings).toEqual([{ kind: 'ended' }]);
  });

  test('without an end of stdout the exit is an end', async () => {
    const { reader, exit } = fake();
    exit(1);
    vi.advanceTimersByTime(1000);
    await turns();
    expect(reader.endings).toEqual([{ kind: 'exited', exitCode: 1, signal: null }]);
  });

  test('a reader that comes after the exit waits for no end of stdout either', async () => {
    const { pipe, exit } = fakeChild();
    exit(1);
    const reader = new Recorder(pipe);
    vi.advanceTimersByTime(1000);
    await turns();
    expect(reader.endings).toEqual([{ kind: 'exited', exitCode: 1, signal: null }]);
  });

  test('a reader that is paused is waited for', async () => {
    const { child, pipe, reader, exit } = fake();
    pipe.pause();
    child.stdout.write('kept');
    exit(0);
    vi.advanceTimersByTime(60_000);
    expect(reader.endings).toEqual([]);
    pipe.resume();
    await reader.received(4);
    vi.advanceTimersByTime(1000);
    await turns();
    expect(reader.endings).toEqual([{ kind: 'exited', exitCode: 0, signal: null }]);
  });

  test('what comes in the meantime makes it wait a little longer, but not for ever', async () => {
    const { child, reader, exit } = fake();
    exit(0);
    vi.advanceTimersByTime(150);
    child.stdout.write('a');
    await reader.received(1);
    vi.advanceTimersByTime(150);
    expect(reader.endings).toEqual([]);
    for (let size = 2; size < 100 && reader.endings.length === 0; size++) {
      child.stdout.write('a');
      await reader.received(size);
      vi.advanceTimersByTime(150);
      await turns();
    }
    expect(reader.endings).toEqual([{ kind: 'exited', exitCode: 0, signal: null }]);
  });

  test('what nobody had the time to read before the wait was over is read first', async () => {
    const { child, reader, exit } = fake();
    exit(0);
    // As in a process that was busy meanwhile: the timer is due, and what was written waits in the pipe.
    vi.advanceTimersByTime(1000);
    child.stdout.end('last words');
    expect(await reader.ended).toEqual({ kind: 'exited', exitCode: 0, signal: null });
    expect(reader.bytes).toBe('last words');
  });

  test('an error that is no failed start ends nothing', () => {
    const { child, reader } = fake();
    child.emit('error', new Error('kill EPERM'));
    child.emit('error', new Error('kill EPERM'));
    vi.advanceTimersByTime(1000);
    expect(reader.endings).toEqual([]);
  });
});

test('a child without pipes is refused', () => {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  expect(() => childPipe(child)).toThrow(TypeError);
});

async function writeUntilItFails(pipe: Pipe): Promise<unknown> {
  for (;;) {
    try {
      pipe.write('y');
      await turns(1);
    } catch (error) {
      return error;
    }
  }
}

/** A Node program that can also speak over IPC. */
function program(source: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function fake() {
  const child = fakeChild();
  return { ...child, reader: new Recorder(child.pipe) };
}

/** A child whose exit and streams are in our hand, under a clock that is too. */
function fakeChild() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const child = Object.assign(new EventEmitter(), {
    pid: 1,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    exitCode: null as number | null,
    signalCode: null,
  });
  const pipe = childPipe(child);
  const exit = (code: number) => {
    child.exitCode = code;
    child.emit('exit', code, null);
  };
  return { child, pipe, exit };
}
