import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Recorder, turns } from '../../../test/support/channel/pipe-ends.ts';
import { KiB } from '../../base/units.ts';
import { linkedPipes, socketPipe, streamPipe } from './stream-pipe.ts';

describe('writes', () => {
  test('of one tick go out as one, also those of promises that it resolved', async () => {
    const { pipe, writes } = counted();
    pipe.write('a');
    pipe.write(Buffer.from('b'));
    void Promise.resolve().then(() => pipe.write('c'));
    expect(writes).toEqual([]);
    await turns(1);
    expect(writes).toEqual(['abc']);
    pipe.write('d');
    await turns(1);
    expect(writes).toEqual(['abc', 'd']);
  });

  test('of a burst go out in growing pieces while it is still being made', async () => {
    const { pipe, writes } = counted();
    const burst = () => {
      for (let index = 0; index < 100; index++) pipe.write('x'.repeat(1000));
    };
    const sizes = [4000, 8000, 16_000, 16_000, 16_000, 16_000, 16_000];
    burst();
    expect(writes.map((written) => written.length)).toEqual(sizes);
    await turns(1);
    burst();
    expect(writes.slice(sizes.length).map((written) => written.length)).toEqual([8000, ...sizes]);
  });

  test('that are large go out alone and in their order', async () => {
    const { pipe, writes } = counted();
    const large = 'y'.repeat(16 * KiB + 1);
    pipe.write('a');
    pipe.write(large);
    pipe.write('b');
    pipe.write(Buffer.from(large));
    pipe.write('c');
    await turns(1);
    expect(writes).toEqual(['a', large, 'b', large, 'c']);
  });

  test('of long pieces reach both ends of two sockets whole, also while neither is read', async () => {
    const written = ['a', 'b'].map((letter) => ['<', letter.repeat(700 * KiB), '>']);
    const pairs = await Promise.all([connectedSockets(), connectedSockets()]);
    for (const [index, [here]] of pairs.entries()) {
      const pipe = socketPipe(here);
      for (let count = 0; count < 3; count++) pipe.write(written[index] ?? []);
    }
    await turns();
    for (const [index, [, there]] of pairs.entries()) {
      const text = written[index]?.join('').repeat(3) ?? '';
      const reader = new Recorder(socketPipe(there));
      await reader.received(text.length);
      expect(reader.bytes === text).toBe(true);
    }
  });

  test('that wait at the end are sent by finish', async () => {
    const { pipe, writes } = counted();
    pipe.write('a');
    pipe.write('b');
    await pipe.finish();
    expect(writes).toEqual(['ab']);
  });

  test('that wait are dropped by destroy', async () => {
    const { pipe, writes } = counted();
    pipe.write('a');
    pipe.destroy();
    await turns();
    expect(writes).toEqual([]);
  });

  test('fail with the reason of the stream', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
    const pipe = streamPipe(new PassThrough(), stream, { queueMark: 1 });
    pipe.write('a');
    await expect(pipe.drained()).rejects.toMatchObject({
      code: 'PIPE_ENDED',
      message: 'Nothing more can be sent through this pipe: disk full.',
      cause: { message: 'disk full' },
    });
    await pipe.finish();
  });
});

describe('reading', () => {
  test('from a stream that gives text is reading its UTF-8', async () => {
    const reader = new Recorder(streamPipe(Readable.from(['a', 'é', '😀']), new PassThrough()));
    await reader.ended;
    expect(Buffer.from(reader.bytes, 'latin1').toString()).toBe('aé😀');
  });

  test('from a stream that fails ends with its error', async () => {
    const stream = new PassThrough();
    const reader = new Recorder(streamPipe(stream, new PassThrough()));
    const error = new Error('cable cut');
    stream.destroy(error);
    expect(await reader.ended).toEqual({ kind: 'failed', error });
    await turns();
    expect(reader.endings).toHaveLength(1);
  });

  test.each([
    ['had failed before', new Error('cable cut')],
    ['was gone before', undefined],
  ])('from a stream that %s ends at once', async (_, error) => {
    const stream = new PassThrough();
    const pipe = streamPipe(stream, new PassThrough());
    stream.destroy(error);
    await turns();
    expect(await new Recorder(pipe).ended).toEqual(error ? { kind: 'failed', error } : { kind: 'ended' });
  });

  test('from a stream that was read to its end before, ends at once', async () => {
    const stream = Readable.from([Buffer.from('x')]);
    stream.resume();
    await once(stream, 'end');
    expect(await new Recorder(streamPipe(stream, new PassThrough())).ended).toEqual({ kind: 'ended' });
  });
});

test('of linked pipes, the end of one is the end of the other', async () => {
  const [a, b] = linkedPipes();
  const [atA, atB] = [new Recorder(a), new Recorder(b)];
  a.destroy();
  expect(atA.endings).toEqual([{ kind: 'closed' }]);
  expect(await atB.ended).toEqual({ kind: 'ended' });
  await turns();
  expect(() => b.write('x')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }));
});

/** Programs that read and write through fdPipe: they answer in capitals, and say bye when the input is over. */
describe('fdPipe in a process of its own', () => {
  test('over its stdio', async () => {
    const child = shouter('fdPipe(0, 1)', ['pipe', 'pipe', 'inherit']);
    child.stdin?.write('hello');
    expect(String(await next(child.stdout))).toBe('HELLO');
    child.stdin?.end('x'.repeat(300_000));
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => (rest += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(rest).toBe(`${'X'.repeat(300_000)}<ended>`);
    expect(code).toBe(0);
  });

  test('over one socket both ways', async () => {
    const child = shouter('fdPipe(3, 3)', ['ignore', 'inherit', 'inherit', 'pipe']);
    const socket = child.stdio[3] as Socket; // a pipe of the stdio table is a socket
    socket.allowHalfOpen = true;
    let bytes = '';
    // More than the kernel holds, both ways at once.
    socket.write('x'.repeat(3_000_000));
    await once(socket, 'readable');
    await turns();
    socket.on('data', (chunk: Buffer) => (bytes += chunk.toString()));
    socket.end('hello');
    const [code] = (await once(child, 'close')) as [number];
    expect(bytes).toHaveLength(3_000_000 + 12);
    expect(bytes.endsWith('XXHELLO<ended>')).toBe(true);
    expect(code).toBe(0);
  });

  test('over files', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-files-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    const [input, output] = [path.join(folder, 'input'), path.join(folder, 'output')];
    fs.writeFileSync(input, 'x'.repeat(200_000));
    const [inputFd, outputFd] = [fs.openSync(input, 'r'), fs.openSync(output, 'w')];
    const child = shouter('fdPipe(0, 1)', [inputFd, outputFd, 'inherit']);
    const [code] = (await once(child, 'close')) as [number];
    fs.closeSync(inputFd);
    fs.closeSync(outputFd);
    expect(fs.readFileSync(output, 'utf8')).toBe(`${'X'.repeat(200_000)}<ended>`);
    expect(code).toBe(0);
  });

  test('over nothing at all', async () => {
    const child = shouter('fdPipe(0, 1)', ['ignore', 'pipe', 'inherit']);
    expect(String(await next(child.stdout))).toBe('<ended>');
    await once(child, 'close');
  });

  function shouter(pipe: string, stdio: StdioOptions): ChildProcess {
    const source = `
      import { fdPipe } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'stream-pipe.ts')))};
      const pipe = ${pipe};
      pipe.open({
        data: (chunk) => pipe.write(chunk.toString('latin1').toUpperCase()),
        end: ({ kind }) => {
          pipe.write('<' + kind + '>');
          void pipe.finish().then(() => pipe.destroy());
        },
      });
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
      stdio,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }
});

async function next(stream: Readable | null): Promise<Buffer> {
  if (stream === null) throw new Error('no stream');
  const [chunk] = (await once(stream, 'data')) as [Buffer];
  return chunk;
}

async function connectedSockets(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [there] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    here.destroy();
    there.destroy();
    server.close();
  });
  return [here, there];
}

/** A pipe over a Writable that counts its writes. */
function counted() {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: true,
    highWaterMark: 1024 * KiB,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString('latin1'));
      done();
    },
  });
  return { pipe: streamPipe(new PassThrough(), stream), writes };
}
