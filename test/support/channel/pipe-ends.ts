// Every kind of pipe with something at its other end that a test can steer.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, connect, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { childPipe } from '../../../src/channel/bytes/child-pipe.ts';
import type { Ending, Pipe, PipeOptions } from '../../../src/channel/bytes/pipe.ts';
import { fdPipe, linkedPipes, socketPipe, streamPipe } from '../../../src/channel/bytes/stream-pipe.ts';

/** What is at the other end. Bytes are written as text, one character each. */
export interface OtherEnd {
  send(bytes: string): void;
  /** Ends what it sends and goes on reading. */
  endSending(): void;
  /** Stops reading. */
  hold(): Promise<void>;
  release(): void;
  /** All that came, once it is at least so much. */
  received(size: number): Promise<string>;
  /** All that came, once its input is over. */
  inputOver(): Promise<string>;
  /** Gone at once, in both directions. */
  vanish(): void;
}

export interface PipeEnds {
  readonly pipe: Pipe;
  readonly other: OtherEnd;
  /** Frees what is left. */
  readonly clean: () => void;
}

export const pipeKinds: Record<string, (options?: PipeOptions) => Promise<PipeEnds>> = {
  childPipe: childEnds,
  'socketPipe over a unix socket': (options) => socketEnds(options, 'unix'),
  'socketPipe over TCP': (options) => socketEnds(options, 'tcp'),
  streamPipe: async (options) => streamEnds(options),
  'fdPipe over FIFOs': async (options) => fifoEnds(options),
  linkedPipes: async (options) => linkedEnds(options),
};

/** Opens a pipe and keeps what it reads and how it ends. */
export class Recorder {
  bytes = '';
  readonly endings: Ending[] = [];
  /** Resolves with the first ending. */
  readonly ended: Promise<Ending>;
  #wake: (() => void)[] = [];

  constructor(pipe: Pipe) {
    let tell: (ending: Ending) => void = () => {};
    this.ended = new Promise((resolve) => (tell = resolve));
    pipe.open({
      data: (chunk) => {
        this.bytes += chunk.toString('latin1');
        // The chunk is the reader's to overwrite.
        chunk.fill(0);
        for (const wake of this.#wake.splice(0)) wake();
      },
      end: (ending) => {
        this.endings.push(ending);
        tell(ending);
      },
    });
  }

  /** All that came, once it is at least so much. */
  async received(size: number): Promise<string> {
    while (this.bytes.length < size) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.bytes;
  }
}

/** Lets everything that is ready happen. */
export async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

function streamEnds(options?: PipeOptions): PipeEnds {
  const there = new PassThrough();
  const back = new PassThrough();
  return { pipe: streamPipe(back, there, options), other: new StreamEnd(there, back), clean: () => {} };
}

async function socketEnds(options: PipeOptions | undefined, kind: 'unix' | 'tcp'): Promise<PipeEnds> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-socket-'));
  const server = createServer({ allowHalfOpen: true });
  server.listen(kind === 'unix' ? { path: path.join(folder, 'socket') } : { port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const socket = typeof address === 'string' ? connect(address) : connect(address?.port ?? 0, '127.0.0.1');
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [
    [Socket],
    unknown,
  ];
  server.close();
  return {
    pipe: socketPipe(socket, options),
    other: new StreamEnd(accepted, accepted),
    clean: () => {
      accepted.destroy();
      socket.destroy();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

/** Of the operating system; Node has no call for it. */
const MAKE_FIFO = 'mkfifo';

function fifoEnds(options?: PipeOptions): PipeEnds {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-fifo-'));
  const [there, back] = [path.join(folder, 'there'), path.join(folder, 'back')];
  execFileSync(MAKE_FIFO, [there, back]);
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants;
  // In this order neither open waits for the other side.
  const open = (file: string) => [O_RDONLY, O_WRONLY].map((flag) => fs.openSync(file, flag | O_NONBLOCK));
  const [[otherIn = -1, ourOut = -1], [ourIn = -1, otherOut = -1]] = [open(there), open(back)];
  const readable = new Socket({ fd: otherIn, writable: false });
  const writable = new Socket({ fd: otherOut, readable: false, writable: true });
  const pipe = fdPipe(ourIn, ourOut, options);
  return {
    pipe,
    other: new StreamEnd(readable, writable),
    clean: () => {
      pipe.destroy();
      readable.destroy();
      writable.destroy();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

function linkedEnds(options?: PipeOptions): PipeEnds {
  const [pipe, otherPipe] = linkedPipes(options);
  const recorder = new Recorder(otherPipe);
  const other: OtherEnd = {
    send: (bytes) => void otherPipe.write(bytes),
    endSending: () => void otherPipe.finish(),
    hold: async () => otherPipe.pause(),
    release: () => otherPipe.resume(),
    received: (size) => recorder.received(size),
    inputOver: () => recorder.ended.then(() => recorder.bytes),
    vanish: () => otherPipe.destroy(),
  };
  return { pipe, other, clean: () => otherPipe.destroy() };
}

/** The other end of streams and sockets. */
class StreamEnd implements OtherEnd {
  readonly #readable: Readable;
  readonly #writable: Writable;
  readonly #over: Promise<unknown>;
  #bytes = '';
  #wake: (() => void)[] = [];

  constructor(readable: Readable, writable: Writable) {
    this.#readable = readable;
    this.#writable = writable;
    this.#over = new Promise((resolve) => readable.once('close', resolve).once('end', resolve));
    // Either end may be gone first.
    readable.on('error', () => {});
    writable.on('error', () => {});
    readable.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.toString('latin1');
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  send(bytes: string): void {
    this.#writable.write(bytes, 'latin1');
  }

  endSending(): void {
    this.#writable.end();
  }

  async hold(): Promise<void> {
    this.#readable.pause();
  }

  release(): void {
    this.#readable.resume();
  }

  async received(size: number): Promise<string> {
    while (this.#bytes.length < size) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.#bytes;
  }

  async inputOver(): Promise<string> {
    await this.#over;
    return this.#bytes;
  }

  vanish(): void {
    this.#readable.destroy();
    this.#writable.destroy();
  }
}

/** A program that reports over its IPC channel what it reads, and obeys the commands there. */
const PUPPET = `
  const fs = require('node:fs');
  process.stdin.on('data', (chunk) => process.send({ data: chunk.toString('latin1') }));
  process.stdin.on('end', () => process.send({ over: true }));
  process.on('message', ({ send, order }) => {
    if (send !== undefined) process.stdout.write(Buffer.from(send, 'latin1'));
    if (order === 'end') fs.closeSync(1);
    if (order === 'hold') { process.stdin.pause(); process.send({ held: true }); }
    if (order === 'release') process.stdin.resume();
  });
  process.send({ ready: true });
`;

type PuppetNews = {
  readonly data?: string;
  readonly over?: true;
  readonly held?: true;
  readonly ready?: true;
};

async function childEnds(options?: PipeOptions): Promise<PipeEnds> {
  const child = spawn(process.execPath, ['-e', PUPPET], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  const pipe = childPipe(child, options);
  let bytes = '';
  let over = false;
  let wake: (() => void)[] = [];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resolve) => wake.push(resolve));
  };
  let held = false;
  let ready = false;
  child.on('message', (message) => {
    const news = message as PuppetNews; // our own program sends nothing else
    bytes += news.data ?? '';
    over ||= news.over === true;
    held ||= news.held === true;
    ready ||= news.ready === true;
    const woken = wake;
    wake = [];
    for (const resolve of woken) resolve();
  });
  await until(() => ready);
  const order = (order: string) => void child.send({ order });
  return {
    pipe,
    other: {
      send: (bytes) => void child.send({ send: bytes }),
      endSending: () => order('end'),
      hold: async () => {
        held = false;
        order('hold');
        await until(() => held);
      },
      release: () => order('release'),
      received: async (size) => {
        await until(() => bytes.length >= size);
        return bytes;
      },
      inputOver: async () => {
        await until(() => over);
        return bytes;
      },
      vanish: () => void child.kill('SIGKILL'),
    },
    clean: () => void child.kill('SIGKILL'),
  };
}
